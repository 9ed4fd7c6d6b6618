// Invoices. A store with a secret keeps none of them: the invoice's id says when it was issued, for how long and for how
// much, and a MAC binds these to the seller and to one request. A flood of unpaid requests leaves such a store as it was.
//
//   version (1 byte), time (4, seconds), lifetime (3, seconds), amount (8), nonce (16), MAC (16); base64url, 64 characters
import { createHmac, createSecretKey, randomBytes, timingSafeEqual, type KeyObject } from 'node:crypto';
import { wrongRequest, type Bound } from './binding.ts';
import type { RequestPrint } from './dialects/dialect.ts';
import type { Asking, Sold } from './store/invoice-store.ts';
import type { Terms } from './ledger.ts';
import { refusal, type Refusal } from './refusal.ts';
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
const keepKeyMs = 100;

/** The invoices of one seller: signed where the store has a secret, otherwise kept in it. */
export const createInvoices = (deps: InvoicesDeps): Invoices => {
  const { store, terms, sold, invoiceSeconds, now } = deps;
  const { recipient } = terms;
  const asking: Asking = { amount: deps.fixedPrice, recipient };
  const held = { key: null as KeyObject | null, until: -Infinity };
  let keepAt = -Infinity;

  /** Null without a secret. For a moment the former one is good as well, so it is not looked up with each request. */
  const currentKey = async (): Promise<KeyObject | null> => {
    const time = performance.now();
    if (time < held.until) return held.key;
    const secret = await store.secret?.();
    if (secret === undefined) return null;
    if (time >= keepAt) {
      keepAt = time + keepAskingMs;
      await store.keepAsking?.(sold, asking);
    }
    const current = createSecretKey(secret.key);
    Object.assign(held, { key: current, until: time + keepKeyMs });
    return current;
  };

  const check = async (shown: Invoice, print: RequestPrint): Promise<Invoice | Refusal> => {
    const bytes = Buffer.from(shown.id, 'base64url');
    const [head, mac] = [bytes.subarray(0, headLength), bytes.subarray(headLength)];
    // An invoice that is paid in its last second may be shown for `maxAgeMs` more.
    const since = Date.now() - invoiceSeconds * 1_000 - terms.maxAgeMs - slackMs;
    const [secret, earlier] = await Promise.all([store.secret?.(), store.findAsking?.(sold, since)]);
    held.until = -Infinity;
    const known = [asking, ...(earlier ?? [])];
    const former = secret?.former.filter(({ replacedAt }) => replacedAt > since) ?? [];
    const keys = secret === undefined ? [] : [secret, ...former].map(({ key }) => key);
    const payee = [...new Set(known.map((one) => one.recipient))].find((one) =>
      keys.some((key) => timingSafeEqual(macOf(deps, key, head, { ...print, recipient: one }), mac)),
    );
    if (payee === undefined) return wrongRequest;
    // Our own MAC on what we do not issue: the secret is known to somebody else.
    const isIssued =
      head.readUIntBE(5, 3) <= invoiceSeconds &&
      head.readUInt32BE(1) * 1_000 <= (await now()) + mostAheadMs &&
      known.some((one) => one.recipient === payee && (one.amount ?? shown.amount) === shown.amount);
    return isIssued ? { ...shown, recipient: payee } : unknown;
  };

  return {
    async issue(print, amount) {
      const issuedAt = Math.floor((await now()) / 1_000);
      const invoice = { ...print, amount, recipient, expiresAt: (issuedAt + invoiceSeconds) * 1_000 };
      const current = await currentKey();
      if (current === null) {
        const kept = { ...invoice, id: randomBytes(16).toString('base64url') };
        await store.saveInvoice(kept);
        return kept;
      }
      const head = randomBytes(headLength);
      head.writeUInt8(version);
      head.writeUInt32BE(issuedAt, 1);
      head.writeUIntBE(invoiceSeconds, 5, 3);
      head.writeBigUInt64BE(amount, 8);
      const mac = macOf(deps, current, head, invoice);
      return { ...invoice, id: Buffer.concat([head, mac]).toString('base64url') };
    },
    async find(id, print) {
      const shown = store.secret === undefined ? null : readSigned(id, print, recipient);
      const found = shown === null ? await findKept(store, id, print) : await check(shown, print);
      return 'code' in found ? { refused: found } : found;
    },
  };
};

/** What an id says by itself, whoever signed it; null for another form. */
export const readSigned = (id: unknown, print: RequestPrint, recipient: string): Invoice | null => {
  if (typeof id !== 'string' || !form.test(id)) return null;
  const bytes = Buffer.from(id, 'base64url');
  if (bytes[0] !== version) return null;
  const expiresAt = (bytes.readUInt32BE(1) + bytes.readUIntBE(5, 3)) * 1_000;
  return { id, ...print, amount: bytes.readBigUInt64BE(8), recipient, expiresAt };
};

const findKept = async (store: GrantStore, id: unknown, print: RequestPrint): Promise<Invoice | Refusal> => {
  const invoice = typeof id === 'string' ? await store.findInvoice(id) : undefined;
  if (invoice === undefined) return unknown;
  const isOf = (['method', 'url', 'bodySha256'] as const).every((part) => invoice[part] === print[part]);
  return isOf ? invoice : wrongRequest;
};

const macOf = (
  { terms: { network, mint }, service, origin, boundHeaders }: InvoicesDeps,
  key: KeyObject | Uint8Array,
  head: Uint8Array,
  { recipient, method, url, bodySha256 }: RequestPrint & { recipient: string },
): Buffer => {
  const seller = [network, mint, recipient, service ?? null, origin ?? null, boundHeaders];
  const seal = JSON.stringify([...seller, method, url, bodySha256]);
  const mac = createHmac('sha256', key).update('agent-treasury invoice v1\n').update(head).update(seal);
  return mac.digest().subarray(0, 16);
};

const unknown = refusal('unknown_invoice', 'The invoice was not issued here, or expired long ago');
