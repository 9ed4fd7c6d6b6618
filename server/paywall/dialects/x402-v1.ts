// x402 version 1: offered in the body, paid with X-PAYMENT. A payment names no offer, so the price when it arrives is
// the one due; until it is settled, a refused one costs nothing.
// https://github.com/coinbase/x402/blob/main/specs/transports-v1/http.md
import { x402Networks } from '../../contract/treasury/networks.ts';
import { decodeObject } from '../../lib/base64-json.ts';
import { receiptPrefix } from '../../lib/solana/receipt.ts';
import { refusal } from '../refusal.ts';
import type { Asked } from '../types.ts';
import type { Dialect } from './dialect.ts';
import {
  aboutOf,
  malformed,
  maxTimeoutSeconds,
  messageIn,
  mostHeader,
  notNow,
  settledHeader,
  type Pay,
  type X402Deps,
} from './x402.ts';

interface X402V1Deps extends X402Deps {
  price: (asked: Asked) => Promise<bigint>;
  pay: Pay;
}

/** Version 1 on the seller's side. A payment is settled at the price of the moment, or not at all. */
export const createX402V1 = (deps: X402V1Deps): Dialect => {
  const { terms, ledger, facilitator, resource, route, price, pay } = deps;
  const network = x402Networks[terms.network].v1;

  const requirementsOf = (asked: Asked, amount: bigint, feePayer: string) => ({
    scheme: 'exact',
    network,
    maxAmountRequired: String(amount),
    resource: resource(asked),
    description: '',
    mimeType: '',
    ...aboutOf(route),
    payTo: terms.recipient,
    maxTimeoutSeconds,
    asset: terms.mint,
    extra: { feePayer },
  });

  return {
    credential(header) {
      const value = header('x-payment');
      return value === null || value.startsWith(receiptPrefix) ? null : value;
    },
    async offer({ invoice, asked }) {
      const feePayer = await facilitator.feePayer(1, network);
      if (feePayer === null) return null;
      return { body: { x402Version: 1, accepts: [requirementsOf(asked, invoice.amount, feePayer)] } };
    },
    async verify(credential, { asked, print, isGone }) {
      const payload = credential.length > mostHeader ? null : decodeObject(credential, 'base64');
      const message = payload && messageIn(payload);
      if (!message || payload['x402Version'] !== 1) return { refused: unreadable };
      if (payload['scheme'] !== 'exact' || payload['network'] !== network)
        return { refused: refusal('wrong_offer', `The payment is not of scheme exact on ${network}`) };
      const feePayer = facilitator.address ?? (await facilitator.feePayer(1, network).catch(() => null));
      if (feePayer === null) return { unavailable: notNow };
      const amount = await price(asked);
      const due = ledger.due({ amount, recipient: terms.recipient, expiresAt: null });
      const requirements = requirementsOf(asked, amount, feePayer);
      return pay({
        version: 1,
        payload,
        message,
        requirements,
        due,
        print,
        isGone,
        invoice: null,
        memo: null,
        whyNot: () => Promise.resolve(null),
        headers: (txSignature, paid) => settledHeader(1, network, txSignature, paid),
      });
    },
  };
};

const unreadable = malformed('X-PAYMENT');
