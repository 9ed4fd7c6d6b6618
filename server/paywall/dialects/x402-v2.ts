// x402 version 2: offered in the header PAYMENT-REQUIRED, paid with PAYMENT-SIGNATURE. The offer's memo is a digest of its
// invoice, which binds the transaction to one request and its price.
// https://github.com/coinbase/x402/blob/main/specs/transports-v2/http.md
import canonicalize from 'canonicalize';
import { x402Networks } from '../../contract/treasury/networks.ts';
import { decodeObject, encodeJson, isObject } from '../../lib/base64-json.ts';
import { mostPaymentRequired, type Bazaar } from '../bazaar.ts';
import { readSigned, type Invoices } from '../invoices.ts';
import { refusal } from '../refusal.ts';
import type { Invoice } from '../types.ts';
import type { Dialect } from './dialect.ts';
import { referenceOf } from './reference.ts';
import {
  aboutOf,
  isSettledFor,
  malformed,
  maxTimeoutSeconds,
  messageIn,
  mostHeader,
  settledHeader,
  whyNotNow,
  type Pay,
  type X402Deps,
} from './x402.ts';

interface X402V2Deps extends X402Deps {
  invoices: Invoices;
  pay: Pay;
  bazaar: Bazaar | null;
}

/** Version 2 on the seller's side. A payment is settled only when it could be granted. */
export const createX402V2 = (deps: X402V2Deps): Dialect => {
  const { terms, store, invoices, ledger, facilitator, resource, route, bazaar, pay } = deps;
  const network = x402Networks[terms.network].v2;

  const requirementsOf = ({ id, amount, recipient }: Invoice, feePayer: string) => ({
    scheme: 'exact',
    network,
    amount: String(amount),
    asset: terms.mint,
    payTo: recipient,
    maxTimeoutSeconds,
    extra: { feePayer, invoice: id, memo: referenceOf('x402', id) },
  });

  return {
    credential: (header) => header('payment-signature'),
    async offer({ invoice, asked, message }) {
      const feePayer = await facilitator.feePayer(2, network);
      if (feePayer === null) return null;
      const required = {
        x402Version: 2,
        error: message,
        resource: { url: resource(asked), ...aboutOf(route) },
        accepts: [requirementsOf(invoice, feePayer)],
      };
      const plain = encodeJson(required, 'base64');
      if (bazaar === null) return { headers: { 'payment-required': plain } };
      const listed = encodeJson({ ...required, extensions: { bazaar: bazaar(asked.url) } }, 'base64');
      return { headers: { 'payment-required': listed.length > mostPaymentRequired ? plain : listed } };
    },
    async verify(credential, { print, isGone }) {
      const payload = credential.length > mostHeader ? null : decodeObject(credential, 'base64');
      const message = payload && messageIn(payload);
      const accepted = payload?.['accepted'];
      if (!message || payload['x402Version'] !== 2 || !isObject(accepted)) return { refused: unreadable };
      const { feePayer, invoice: id } = isObject(accepted['extra']) ? accepted['extra'] : {};
      const found = await invoices.find(id, print);
      // What was settled is granted by its own record, also when the secret has changed since.
      const shown = 'id' in found ? null : readSigned(id, print, terms.recipient);
      const isSettled = shown !== null && (await isSettledFor(store, { message, print, invoice: shown.id }));
      const invoice = isSettled ? shown : found;
      if ('refused' in invoice) return invoice;
      // The facilitator alone judges who pays the fee: it may have several wallets for it.
      const requirements = requirementsOf(invoice, typeof feePayer === 'string' ? feePayer : '');
      if (canonicalize(accepted) !== canonicalize(requirements)) return { refused: altered };
      return pay({
        version: 2,
        payload,
        message,
        requirements,
        // A payment made in time still counts if settling it takes longer.
        due: ledger.due({ ...invoice, expiresAt: null }),
        print,
        isGone,
        invoice: invoice.id,
        memo: requirements.extra.memo,
        whyNot: () => whyNotNow(deps, invoice),
        headers: (txSignature, paid) => settledHeader(2, network, txSignature, paid),
      });
    },
  };
};

const unreadable = malformed('PAYMENT-SIGNATURE');
const altered = refusal(
  'wrong_offer',
  'The payment accepts other terms than were offered: pay the offer of this answer',
);
