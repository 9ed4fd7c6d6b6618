// MPP: the HTTP authentication scheme "Payment", method "solana", intent "charge". The client sends the transaction
// itself and shows its signature (push), or shows the transaction to a seller that settles by itself (pull).
// https://paymentauth.org
import canonicalize from 'canonicalize';
import { USDC_DECIMALS, formatUsdc } from '../../money.ts';
import { decodeObject, encodeJson, isObject, type JsonObject } from '../../lib/base64-json.ts';
import { txSignatureSchema } from '../../lib/solana/solana-address.ts';
import { alreadyUsed, type Terms } from '../ledger.ts';
import { tokenProgram } from '../../lib/solana/programs.ts';
import { refusal } from '../refusal.ts';
import type { Asked, Invoice, Network } from '../types.ts';
import type { Dialect, Headers } from './dialect.ts';
import type { ReceiptDeps } from './receipt.ts';
import { referenceOf } from './reference.ts';
import { messageIn, whyNotNow, type Pay, type Payable, type X402Deps } from './x402.ts';

interface MppDeps extends Omit<ReceiptDeps, 'price'> {
  /** Null for push alone. */
  pull: (X402Deps & { pay: Pay }) | null;
  /** The host that the request is for; null when it cannot be told. */
  host: (asked: Asked) => string | null;
}

const networks: Readonly<Record<Network, string>> = {
  sandbox: 'localnet',
  devnet: 'devnet',
  mainnet: 'mainnet-beta',
};
const scheme = /^payment +/i;
const mostLength = 8_192;

/** MPP on the seller's side. Amounts are micro-USDC; an expiry is compared with the block's time, as an invoice's is. */
export const createMpp = ({ terms, service, store, invoices, ledger, pull, host }: MppDeps): Dialect => {
  const { network } = terms;

  /** The fee payer is as it was: a payment that was begun stays good when the key changes. The judge knows today's. */
  const isIssued = (challenge: JsonObject, invoice: Invoice): boolean => {
    const { methodDetails } = decodeObject(String(challenge['request']), 'base64url') ?? {};
    const feePayer = isObject(methodDetails) ? methodDetails['feePayerKey'] : undefined;
    // The realm binds nothing, and a proxy may name another host each time.
    const as = challengeOf(
      terms,
      String(challenge['realm']),
      invoice,
      typeof feePayer === 'string' ? feePayer : null,
    );
    return canonicalize(challenge) === canonicalize(as);
  };

  return {
    credential(header) {
      const value = header('authorization');
      return value !== null && scheme.test(value) ? value.replace(scheme, '') : null;
    },
    async offer({ invoice, asked }) {
      const feePayer = await pull?.facilitator.feePayer('mpp', networks[network]).catch(() => null);
      const realm = host(asked) ?? service ?? terms.recipient;
      // Clients take the first challenge that they know: one without a fee payer is for those that push.
      const challenges = feePayer ? [feePayer, null] : [null];
      const offered = challenges.map((one) =>
        Object.entries(challengeOf(terms, realm, invoice, one)).map(
          ([name, value]) => `${name}=${quoted(value)}`,
        ),
      );
      return {
        headers: { 'www-authenticate': offered.map((parts) => `Payment ${parts.join(', ')}`).join(', ') },
      };
    },
    async verify(credential, { print, isGone }) {
      const shown = credential.length > mostLength ? null : decodeObject(credential.trim(), 'base64url');
      const { challenge, payload } = shown ?? {};
      if (!isObject(challenge) || !isObject(payload)) return { refused: malformed };
      const message = pull !== null && payload['type'] === 'transaction' ? messageIn({ payload }) : undefined;
      if (message === undefined && payload['type'] !== 'signature') return { refused: notPushed };
      const txSignature = txSignatureSchema.safeParse(payload['signature']);
      if (message === null || (message === undefined && !txSignature.success)) return { refused: malformed };
      const invoice = await invoices.find(challenge['id'], print);
      if ('refused' in invoice)
        return txSignature.success && (await store.isUsed(txSignature.data))
          ? { refused: alreadyUsed }
          : invoice;
      if (!isIssued(challenge, invoice)) return { refused: altered };

      const memo = referenceOf('mpp', invoice.id);
      if (pull && message !== undefined)
        return pull.pay(pulled(pull, { payload: { payload }, message, print, isGone, invoice, memo }));
      if (!txSignature.success) return { refused: malformed };
      const claim = { txSignature: txSignature.data, payer: null, timestamp: null, memo };
      const grant = { invoice: invoice.id, paymentId: memo, dialect: 'mpp' as const, isGone };
      const due = ledger.due(invoice);
      const paid = await ledger.confirm(claim, due, grant);
      if ('pending' in paid) return { ...paid, invoice: invoice.id };
      if ('refused' in paid) return paid;
      const granted = {
        dialect: 'mpp' as const,
        txSignature: claim.txSignature,
        amount: formatUsdc(due.amount),
        currency: 'USDC' as const,
        recipient: invoice.recipient,
        network,
        paymentId: memo,
        invoice: invoice.id,
        ...paid,
      };
      return { granted, headers: receiptOf(claim.txSignature, memo, paid.timestamp) };
    },
  };
};

/** The payment whose transaction the seller sends. */
const pulled = (
  pull: X402Deps,
  {
    invoice,
    memo,
    ...shown
  }: Pick<Payable, 'payload' | 'message' | 'print' | 'isGone'> & { invoice: Invoice; memo: string },
): Payable => ({
  version: 'mpp',
  ...shown,
  requirements: {},
  // A payment made in time still counts if settling it takes longer.
  due: pull.ledger.due({ ...invoice, expiresAt: null }),
  invoice: invoice.id,
  memo,
  whyNot: () => whyNotNow(pull, invoice),
  headers: (reference, { timestamp }) => receiptOf(reference, memo, timestamp),
});

/** A challenge follows from its realm, its invoice and its fee payer alone, so what comes back can be compared as a whole. */
const challengeOf = (
  { network, mint }: Terms,
  realm: string,
  { id, amount, recipient, expiresAt }: Invoice,
  feePayerKey: string | null,
): Record<string, string> => ({
  id,
  realm,
  method: 'solana',
  intent: 'charge',
  request: base64OfCanonical({
    amount: String(amount),
    currency: mint,
    recipient,
    externalId: referenceOf('mpp', id),
    methodDetails: {
      network: networks[network],
      decimals: USDC_DECIMALS,
      tokenProgram,
      ...(feePayerKey === null ? {} : { feePayer: true, feePayerKey }),
    },
  }),
  expires: new Date(expiresAt).toISOString(),
});

const receiptOf = (reference: string, externalId: string, timestamp: string): Headers => ({
  'payment-receipt': encodeJson(
    { method: 'solana', status: 'success', reference, externalId, timestamp },
    'base64url',
  ),
});

const base64OfCanonical = (value: JsonObject): string =>
  Buffer.from(canonicalize(value) ?? '', 'utf8').toString('base64url');

/** Characters beyond Latin-1 are written as \uXXXX, since a header holds only bytes. */
const quoted = (text: string): string => (/^[\w.:-]*$/.test(text) ? `"${text}"` : escaped(text));
const escaped = (text: string): string =>
  `"${text
    .replaceAll(/["\\]/g, String.raw`\$&`)
    .replaceAll(/[^\x20-\x7e]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;

const malformed = refusal(
  'malformed_payment',
  'Authorization is not a credential of MPP: base64url of JSON with the challenge and a payload {type: "signature", signature}',
);
const notPushed = refusal(
  'unsupported_payment',
  'Send the transaction yourself and show its signature (type "signature"): no fee is paid for you here',
);
const altered = refusal(
  'wrong_offer',
  'The challenge is not the one that was issued: pay with the challenge of this answer',
);
