// The decision about one request, the same behind every framework: admitted, paid or free, or answered.
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import { formatUsdc, usdc } from '../money.ts';
import { printOf } from './binding.ts';
import type { Dialect, Headers, Offer, Presented, Quote, Verdict } from './dialects/dialect.ts';
import { createMpp } from './dialects/mpp.ts';
import { createReceipts, termsOf } from './dialects/receipt.ts';
import { createX402V1 } from './dialects/x402-v1.ts';
import { createX402V2 } from './dialects/x402-v2.ts';
import { createPay } from './dialects/x402.ts';
import { createBazaar } from './bazaar.ts';
import { createFacilitator } from './facilitator.ts';
import { createInvoices, type Invoices } from './invoices.ts';
import { createLedger } from './ledger.ts';
import type { Listing } from './listing.ts';
import { readOptions, type ReadOptions } from './options.ts';
import { whyUnpayable } from './payable.ts';
import { createRefund } from './refund.ts';
import { refusal, type Refusal } from './refusal.ts';
import { createSelf } from './settle/self.ts';
import { tokenAccountsOf } from './token-account.ts';
import { createTransactionReader } from './transaction-reader.ts';
import type { Sold } from './store/invoice-store.ts';
import type { Asked, Payment, Paywall, PaywallOptions } from './types.ts';

export type Decision =
  /** Null for a free request. */
  { admitted: Payment | null; headers: Headers } | Answer;

export interface Answer {
  status: number;
  headers: Headers;
  body: Readonly<Record<string, unknown>>;
}

export interface Core {
  maxBodyBytes: number;
  /** @throws the errors of the store, and of the seller's functions; nothing is granted then */
  decide(asked: Asked, isGone: Presented['isGone']): Promise<Decision>;
  refund: Paywall['refund'];
  listing: Listing;
}

interface Parts extends ReadOptions {
  dialects: readonly Dialect[];
  invoices: Invoices;
  sold: Sold;
  warn: (error: unknown, message: string) => void;
  /** To the log, or once on standard error: what keeps the seller from selling. */
  say: (message: string) => void;
  refund: Paywall['refund'];
  listing: Listing;
}

/** @throws Error that names the option when one makes no sense */
export const createCore = (given: PaywallOptions): Core => {
  const parts = createParts(readOptions(given));
  return {
    refund: parts.refund,
    listing: parts.listing,
    maxBodyBytes: parts.maxBodyBytes,
    async decide(asked, isGone) {
      try {
        return await judge(parts, { asked, print: printOf(parts, asked), isGone });
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'chain_unreachable')) throw error;
        parts.warn(error, 'payments cannot be verified');
        return unavailable(error.code, error.message);
      }
    },
  };
};

const createParts = (options: ReadOptions): Parts => {
  const { terms, store, service, route, rpcUrl, rpcTimeoutMs, origin, log, price } = options;
  const { network, mint } = terms;
  const reader = createTransactionReader({ rpcUrl, network, timeoutMs: rpcTimeoutMs });
  const { now: time = network === 'sandbox' ? reader.chainTime : Date.now } = options;
  const tokenAccount = tokenAccountsOf(mint);
  const sold = {
    service: service ?? null,
    route: route === undefined ? null : `${route.method} ${route.path}`,
  };
  const ledger = createLedger({ terms, sold, reader, store, now: time, tokenAccount, wait });
  const invoices = createInvoices({ ...options, sold, now: time });
  const warn = (error: unknown, message: string): void => log?.warn({ err: error }, message);
  const say = createSay(log);
  const sayUnpayable = (why: string | null): void => void (why !== null && say(why));
  const payee = { network, recipient: terms.recipient, account: tokenAccount(terms.recipient) };
  // No answer waits for it. When the chain cannot be asked, the first payment says so.
  if (isFirst(`${rpcUrl} ${payee.account}`)) whyUnpayable(reader, payee).then(sayUnpayable, () => {});
  const shared = { terms, service, store, invoices, ledger, price, route: options.route };
  const resource = (asked: Asked): string => `${origin ?? asked.origin}${asked.url}`;
  const self = options.settle ? createSelf({ ...options.settle, terms, reader, store, warn }) : null;
  const facilitator =
    self ??
    (options.facilitator === undefined
      ? null
      : createFacilitator(options.facilitator, options.facilitatorHeaders));
  const bazaar = options.route === undefined ? null : createBazaar(options.route);
  if (bazaar === 'too large')
    say(`the schemas of ${options.route?.path} are too large for a 402: they are in openapi.json alone`);
  const settling = facilitator && { ...shared, facilitator, resource, warn, now: time };
  const x402 = settling && { ...settling, pay: createPay(settling) };
  /** In the order in which a request is searched for payments. */
  const byName: Record<Payment['dialect'], Dialect | null> = {
    receipt: createReceipts(shared),
    mpp: createMpp({ ...shared, pull: self && x402, host: (asked) => hostOf(origin ?? asked.origin) }),
    'x402-v2': x402 && createX402V2({ ...x402, bazaar: bazaar === 'too large' ? null : bazaar }),
    'x402-v1': x402 && createX402V1(x402),
  };
  const dialects = Object.values(byName).filter((one) => one !== null);
  const names = (Object.keys(byName) as Payment['dialect'][]).filter((name) => byName[name] !== null);
  const listing = { route: options.route, price: options.fixedPrice, mint, dialects: names };
  const refund = createRefund({ terms, reader, store, tokenAccount });
  return { ...options, dialects, invoices, sold, warn, say, refund, listing };
};

const judge = async (parts: Parts, presented: Presented): Promise<Decision> => {
  const { header } = presented.asked;
  for (const dialect of parts.dialects) {
    const credential = dialect.credential(header);
    if (credential !== null) return decided(parts, presented, await dialect.verify(credential, presented));
  }
  if (header('x-payment') !== null) return ask(parts, presented, notSpoken);
  if (await isFree(parts, presented.asked)) return { admitted: null, headers: {} };
  return ask(parts, presented, null);
};

const decided = async (parts: Parts, presented: Presented, verdict: Verdict): Promise<Decision> => {
  if ('granted' in verdict) {
    await tell(parts, verdict.granted);
    return { admitted: verdict.granted, headers: verdict.headers };
  }
  if ('unavailable' in verdict) return unavailable('facilitator_unreachable', verdict.unavailable);
  if ('refused' in verdict) return ask(parts, presented, verdict.refused);
  // The invoice that was paid, and no new offer: a slow chain must not make anybody pay twice.
  const { pending, invoice } = verdict;
  const { terms, service } = parts;
  const amount = await parts.price(presented.asked);
  return {
    status: 402,
    headers: { 'retry-after': '2' },
    body: {
      error: pending.message,
      code: pending.code,
      ...termsOf(terms, service, amount, terms.recipient),
      retry: true,
      ...(invoice === null ? {} : { invoice }),
    },
  };
};

/** Issues an invoice, and offers it in every dialect. */
const ask = async (parts: Parts, { asked, print }: Presented, why: Refusal | null): Promise<Answer> => {
  const { store, sold, dialects, invoices, price } = parts;
  const amount = await price(asked);
  const invoice = await invoices.issue(print, amount);
  store.countOffer?.(sold);
  const { code, message } = why ?? paymentRequired(amount);
  const quote = { invoice, asked, message };
  const offers = await Promise.all(dialects.map((dialect) => offerOf(dialect, quote)));
  const made = offers.filter((one) => one !== null && !(one instanceof Error)) as Offer[];
  const headers = Object.assign({}, ...made.map((one) => one.headers)) as Headers;
  const body = Object.assign({ error: message, code }, ...made.map((one) => one.body)) as Answer['body'];
  const isX402 = 'payment-required' in headers || 'accepts' in body;
  if (isX402 || !parts.listing.dialects.includes('x402-v2')) return { status: 402, headers, body };
  return { status: 402, headers, body: { ...body, notOffered: { x402: whyNoX402(parts, offers) } } };
};

/** For the seller, who would not notice otherwise, and in a few words for buyers: nothing of what a stranger answers. */
const whyNoX402 = (
  { terms, settle, say, warn }: Parts,
  offers: readonly (Offer | Error | null)[],
): string => {
  const failed = offers.find((one) => one instanceof Error);
  if (failed !== undefined) warn(failed, 'x402 is not offered, since it cannot be asked who pays the fee');
  // A seller that settles by itself was told once.
  if (settle !== undefined) return failed?.message ?? 'the seller cannot pay network fees at the moment';
  const why = failed?.message ?? `the facilitator serves no payments of scheme exact on ${terms.network}`;
  say(`x402 is not offered: ${why}`);
  return why.split(':')[0] ?? why;
};

/** Null for a dialect that is not spoken, and an error for one that cannot be at the moment. */
const offerOf = async (dialect: Dialect, quote: Quote): Promise<Offer | Error | null> => {
  try {
    return await dialect.offer(quote);
  } catch (error) {
    return error as Error;
  }
};

const isFree = async ({ freeQuota, store }: Parts, asked: Asked): Promise<boolean> => {
  if (freeQuota === undefined) return false;
  const payer = await freeQuota.payer(asked);
  // In JavaScript it may be undefined, as of a key that was looked up in vain.
  if (typeof payer !== 'string') return false;
  const lengthMs = freeQuota.everySeconds * 1_000;
  const until = (Math.floor(Date.now() / lengthMs) + 1) * lengthMs;
  return (await store.takeFree?.({ payer, until, most: freeQuota.requests })) === true;
};

/** The grant stands already: an error of the seller's own function costs the buyer nothing. */
const tell = async ({ onPaid, warn }: Parts, payment: Payment): Promise<void> => {
  try {
    await onPaid?.(payment);
  } catch (error) {
    warn(error, 'onPaid failed');
  }
};

const unavailable = (code: string, message: string): Answer => ({
  status: 503,
  headers: { 'retry-after': '5' },
  body: { error: message, code, retry: true },
});

const paymentRequired = (price: bigint): Refusal =>
  refusal(
    'payment_required',
    `Pay ${formatUsdc(usdc(price))} USDC, then repeat the request with the receipt in X-Payment`,
  );
const notSpoken = refusal(
  'unsupported_payment',
  'X-Payment does not start with "v1.": only such receipts are accepted here',
);

/** What was said and asked in this process, which has a paywall for each route. */
const done = new Set<string>();
const isFirst = (deed: string): boolean => done.size < done.add(deed).size;

const createSay =
  (log: ReadOptions['log']): Parts['say'] =>
  (message) => {
    if (log !== undefined) log.warn({}, message);
    else if (isFirst(message)) process.stderr.write(`paywall: ${message}\n`);
  };

/** Null for a header that names no host. */
const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).hostname : null);
