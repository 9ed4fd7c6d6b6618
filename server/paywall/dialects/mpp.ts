// MPP: the HTTP authentication scheme "Payment", method "solana", intent "charge". The client sends the transaction
// itself and shows its signature (push). https://paymentauth.org
import canonicalize from 'canonicalize';
import { USDC_DECIMALS, formatUsdc } from '../../money.ts';
import { decodeObject, encodeJson, isObject, type JsonObject } from '../../lib/base64-json.ts';
import { txSignatureSchema } from '../../lib/solana/solana-address.ts';
import type { Invoices } from '../invoices.ts';
import { alreadyUsed, type Ledger, type Terms } from '../ledger.ts';
import { tokenProgram } from '../../lib/solana/programs.ts';
import { refusal } from '../refusal.ts';
import type { GrantStore, Invoice, Network } from '../types.ts';
import type { Dialect } from './dialect.ts';
import { referenceOf } from './reference.ts';

interface MppDeps {
  terms: Terms;
  service: string | undefined;
  store: Pick<GrantStore, 'isUsed'>;
  invoices: Invoices;
  ledger: Ledger;
}

const networks: Readonly<Record<Network, string>> = {
  sandbox: 'localnet',
  devnet: 'devnet',
  mainnet: 'mainnet-beta',
};
const scheme = /^payment +/i;
const mostLength = 8_192;

/** MPP on the seller's side. Amounts are micro-USDC; an expiry is compared with the block's time, as an invoice's is. */
export const createMpp = ({ terms, service, store, invoices, ledger }: MppDeps): Dialect => {
  const { network, mint, recipient: realm } = terms;

  /** A challenge follows from its invoice alone, so what comes back can be compared as a whole. */
  const challengeOf = ({ id, amount, recipient, expiresAt }: Invoice): Record<string, string> => ({
    id,
    realm: service ?? realm,
    method: 'solana',
    intent: 'charge',
    request: base64OfCanonical({
      amount: String(amount),
      currency: mint,
      recipient,
      externalId: referenceOf('mpp', id),
      methodDetails: { network: networks[network], decimals: USDC_DECIMALS, tokenProgram },
    }),
    expires: new Date(expiresAt).toISOString(),
  });

  return {
    credential(header) {
      const value = header('authorization');
      return value !== null && scheme.test(value) ? value.replace(scheme, '') : null;
    },
    offer: ({ invoice }) => {
      const parameters = Object.entries(challengeOf(invoice)).map(
        ([name, value]) => `${name}=${quoted(value)}`,
      );
      return { headers: { 'www-authenticate': `Payment ${parameters.join(', ')}` } };
    },
    async verify(credential, { print }) {
      const shown = credential.length > mostLength ? null : decodeObject(credential.trim(), 'base64url');
      const { challenge, payload } = shown ?? {};
      if (!isObject(challenge) || !isObject(payload)) return { refused: malformed };
      if (payload['type'] !== 'signature') return { refused: notPushed };
      const txSignature = txSignatureSchema.safeParse(payload['signature']);
      if (!txSignature.success) return { refused: malformed };
      const invoice = await invoices.find(challenge['id'], print);
      if ('refused' in invoice)
        return (await store.isUsed(txSignature.data)) ? { refused: alreadyUsed } : invoice;
      if (canonicalize(challenge) !== canonicalize(challengeOf(invoice))) return { refused: altered };

      const claim = {
        txSignature: txSignature.data,
        payer: null,
        timestamp: null,
        memo: referenceOf('mpp', invoice.id),
      };
      const grant = { invoice: invoice.id, paymentId: claim.memo, dialect: 'mpp' as const };
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
        paymentId: claim.memo,
        invoice: invoice.id,
        ...paid,
      };
      return {
        granted,
        headers: { 'payment-receipt': receiptOf(claim.txSignature, claim.memo, paid.timestamp) },
      };
    },
  };
};

const receiptOf = (reference: string, externalId: string, timestamp: string): string =>
  encodeJson({ method: 'solana', status: 'success', reference, externalId, timestamp }, 'base64url');

const base64OfCanonical = (value: JsonObject): string =>
  Buffer.from(canonicalize(value) ?? '', 'utf8').toString('base64url');

/** Characters beyond Latin-1 are written as \uXXXX, since a header holds only bytes. */
const quoted = (text: string): string =>
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
