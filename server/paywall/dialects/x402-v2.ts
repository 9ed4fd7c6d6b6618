// x402 version 2: offered in the header PAYMENT-REQUIRED, paid with PAYMENT-SIGNATURE. The offer's memo is a digest of its
// invoice, which binds the transaction to one request and its price.
// https://github.com/coinbase/x402/blob/main/specs/transports-v2/http.md
import canonicalize from 'canonicalize';
import { x402Networks } from '../../contract/treasury/networks.ts';
import { decodeObject, encodeJson, isObject } from '../../lib/base64-json.ts';
import { checkBinding } from '../binding.ts';
import { invoiceUsed } from '../ledger.ts';
import { refusal } from '../refusal.ts';
import type { GrantStore, Invoice } from '../types.ts';
import type { Dialect } from './dialect.ts';
import { referenceOf } from './reference.ts';
import { malformed, maxTimeoutSeconds, mostHeader, messageIn, type Pay, type X402Deps } from './x402.ts';

interface X402V2Deps extends X402Deps {
  store: Pick<GrantStore, 'findInvoice' | 'isInvoiceUsed' | 'findSettled' | 'saveSettled'>;
  now: () => number | Promise<number>;
  pay: Pay;
}

/** Version 2 on the seller's side. A payment is settled only when it could be granted. */
export const createX402V2 = (deps: X402V2Deps): Dialect => {
  const { terms, store, ledger, facilitator, resource, now, pay } = deps;
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
        resource: { url: resource(asked) },
        accepts: [requirementsOf(invoice, feePayer)],
      };
      return { headers: { 'payment-required': encodeJson(required, 'base64') } };
    },
    async verify(credential, { print }) {
      const payload = credential.length > mostHeader ? null : decodeObject(credential, 'base64');
      const message = payload && messageIn(payload);
      const accepted = payload?.['accepted'];
      if (!message || payload['x402Version'] !== 2 || !isObject(accepted)) return { refused: unreadable };
      const { feePayer, invoice: id } = isObject(accepted['extra']) ? accepted['extra'] : {};
      const invoice = typeof id === 'string' ? await store.findInvoice(id) : undefined;
      const unbound = checkBinding(invoice, print);
      if (unbound !== null || invoice === undefined) return { refused: unbound ?? unreadable };
      // The facilitator alone judges who pays the fee: it may have several wallets for it.
      const requirements = requirementsOf(invoice, typeof feePayer === 'string' ? feePayer : '');
      if (canonicalize(accepted) !== canonicalize(requirements)) return { refused: altered };
      return pay({
        version: 2,
        payload,
        message,
        requirements,
        // A payment in time stays one when its settlement takes longer.
        due: ledger.due({ ...invoice, expiresAt: null }),
        print,
        invoice: invoice.id,
        memo: requirements.extra.memo,
        // Nothing has been paid until here: a payment that could not be granted is not settled.
        async whyNot() {
          if ((await now()) > invoice.expiresAt) return expired;
          if (await store.isInvoiceUsed?.(invoice.id)) return invoiceUsed;
          return null;
        },
      });
    },
  };
};

const unreadable = malformed('PAYMENT-SIGNATURE');
const altered = refusal(
  'wrong_offer',
  'The payment accepts other terms than were offered: pay the offer of this answer',
);
const expired = refusal('invoice_expired', 'The offer has expired: pay the offer of this answer');
