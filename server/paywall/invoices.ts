// Invoices. A store with a secret keeps none of them: the invoice's id says when it was issued, for how long and for how
// much, and a MAC binds these to the seller and to one request. A flood of unpaid requests leaves such a store as it was.
//
//   version (1 byte), time (4, seconds), lifetime (3, seconds), amount (8), nonce (16), MAC (16); base64url, 64 characters
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { wrongRequest, type Bound } from './binding.ts';
import type { RequestPrint } from './dialects/dialect.ts';
import type { Terms } from './ledger.ts';
import { refusal, type Refusal } from './refusal.ts';
import type { Asking, InvoiceSecret, Sold } from './invoice-store.ts';
import type { GrantStore, Invoice } from './types.ts';

export interface InvoicesDeps extends Bound {
  terms: Terms;
  store: GrantStore;
  sold: Sold;
  invoiceSeconds: number;
  /** Null for the price of a function. */
  fixedPrice: bigint | null;
  /** The clock that invoices end by, which is that of the blocks. */
  now: () => number | Promise<number>;
}

export interface Invoices {
  issue(print: RequestPrint, amount: bigint): Promise<Invoice>;
  /** The invoice with this id, if it was issued here for this request. */
  find(id: unknown, print: RequestPrint): Promise<Invoice | { refused: Refusal }>;
}

const version = 1;
const form = /^[\w-]{64}$/;
const headLength = 32;
const mostAheadMs = 60_000;
/** For the clocks of several machines, and for one that goes on at the former price while another begins. */
const slackMs = 300_000;
const keepAskingMs = 60_000;

/** The invoices of one seller: signed where the store has a secret, otherwise kept in it. */
export const createInvoices = (deps: InvoicesDeps): Invoices => {
  const { store, now, terms, invoiceSeconds } = deps;
  const { secret } = store;
  const askingNow = { amount: deps.fixedPrice, recipient: terms.recipient };
  let keepAgainAt = 0;
  return {
    async issue(print, amount) {
      const issuedAt = Math.floor((await now()) / 1_000);
      const { recipient } = terms;
      const terminal = { ...print, amount, recipient, expiresAt: (issuedAt + invoiceSeconds) * 1_000 };
      if (secret === undefined) {
        const invoice = { id: randomBytes(16).toString('base64url'), ...terminal };
        await store.saveInvoice(invoice);
        return invoice;
      }
      if (performance.now() >= keepAgainAt) {
        keepAgainAt = performance.now() + keepAskingMs;
        await store.keepAsking?.(deps.sold, askingNow);
      }
      const head = randomBytes(headLength);
      head.writeUInt8(version);
      head.writeUInt32BE(issuedAt, 1);
      head.writeUIntBE(invoiceSeconds, 5, 3);
      head.writeBigUInt64BE(amount, 8);
      const mac = macOf((await secret()).key, head, sealOf(deps, recipient, print));
      return { id: Buffer.concat([head, mac]).toString('base64url'), ...terminal };
    },
    async find(id, print) {
      if (typeof id !== 'string') return unknown;
      if (secret !== undefined && form.test(id)) return findSigned(deps, id, print);
      const invoice = await store.findInvoice(id);
      if (invoice === undefined) return unknown;
      const differs = (['method', 'url', 'bodySha256'] as const).some(
        (part) => invoice[part] !== print[part],
      );
      return differs ? { refused: wrongRequest } : invoice;
    },
  };
};

/** What a signed id says by itself, whoever signed it; null for another id. */
export const readSigned = (id: unknown, print: RequestPrint, recipient: string): Invoice | null => {
  if (typeof id !== 'string' || !form.test(id)) return null;
  const bytes = Buffer.from(id, 'base64url');
  if (bytes[0] !== version) return null;
  const expiresAt = (bytes.readUInt32BE(1) + bytes.readUIntBE(5, 3)) * 1_000;
  return { id, ...print, amount: bytes.readBigUInt64BE(8), recipient, expiresAt };
};

const findSigned = async (
  deps: InvoicesDeps,
  id: string,
  print: RequestPrint,
): Promise<Invoice | { refused: Refusal }> => {
  const { store, terms, sold, invoiceSeconds, fixedPrice, now } = deps;
  const bytes = Buffer.from(id, 'base64url');
  const shown = readSigned(id, print, terms.recipient);
  if (shown === null) return unknown;
  // An invoice that is paid in its last second may be shown for `maxAgeMs` more.
  const since = Date.now() - invoiceSeconds * 1_000 - terms.maxAgeMs - slackMs;
  const [secret, earlier] = await Promise.all([store.secret?.(), store.findAsking?.(sold, since)]);
  const known: readonly Asking[] = [{ amount: fixedPrice, recipient: terms.recipient }, ...(earlier ?? [])];
  const keys = keysOf(secret, since);
  const [head, mac] = [bytes.subarray(0, headLength), bytes.subarray(headLength)];
  const recipient = [...new Set(known.map((one) => one.recipient))].find((one) => {
    const seal = sealOf(deps, one, print);
    return keys.some((key) => timingSafeEqual(macOf(key, head, seal), mac));
  });
  if (recipient === undefined) return { refused: wrongRequest };
  // Our own MAC on what we do not issue: the secret is known to somebody else.
  const isIssued =
    bytes.readUIntBE(5, 3) <= invoiceSeconds &&
    bytes.readUInt32BE(1) * 1_000 <= (await now()) + mostAheadMs &&
    known.some((one) => one.recipient === recipient && (one.amount ?? shown.amount) === shown.amount);
  return isIssued ? { ...shown, recipient } : unknown;
};

const keysOf = (secret: InvoiceSecret | undefined, since: number): Uint8Array[] => {
  if (secret === undefined) return [];
  return [secret.key, ...secret.former.filter(({ replacedAt }) => replacedAt > since).map(({ key }) => key)];
};

/** What an invoice is bound to beside its own head. */
const sealOf = (
  { terms: { network, mint }, service, origin, boundHeaders }: InvoicesDeps,
  recipient: string,
  { method, url, bodySha256 }: RequestPrint,
): string => {
  const seller = [network, mint, recipient, service ?? null, origin ?? null, boundHeaders];
  return JSON.stringify([...seller, method, url, bodySha256]);
};

const macOf = (key: Uint8Array, head: Uint8Array, seal: string): Buffer =>
  createHmac('sha256', key)
    .update('agent-treasury invoice v1\n')
    .update(head)
    .update(seal)
    .digest()
    .subarray(0, 16);

const unknown = { refused: refusal('unknown_invoice', 'The invoice was not issued here, or ended long ago') };
