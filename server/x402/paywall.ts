// For authors of paid APIs: asks for a price, and lets a request through when a receipt proves that it was paid.
//
//   app.get('/forecast', paywall({ price: '0.05', recipient, rpcUrl, network: 'mainnet', store }), forecast);
//
// Mount it before body parsers: an invoice is bound to the raw body. The paywall reads the body and puts it back, so a
// parser may follow; where one has to come first, let it keep the bytes: express.json({verify: keepRawBody}).
// A payment is granted at most once, and before the request is served: when serving then fails, it stays used.
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { AppError, invariant } from '../errors.ts';
import type { Log } from '../log.ts';
import { formatUsdc, parseUsdc } from '../money.ts';
import type { Usdc } from '../money.ts';
import { base58Bytes } from './address.ts';
import type { GrantStore } from './grant-store.ts';
import { usdcMints } from '../contract/networks.ts';
import { readRawBody } from './raw-body.ts';
import type { Network, Receipt } from './receipt.ts';
import { refusal } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { createTransactionReader } from './transaction-reader.ts';
import { createVerifier } from './verify-receipt.ts';
import type { RequestPrint, Terms } from './verify-receipt.ts';

export interface PaywallOptions {
  /** Decimal USDC, such as `0.05`. */
  price: string;
  /** The wallet that is paid; the money goes to its associated token account. */
  recipient: string;
  rpcUrl: string;
  network: Network;
  store: GrantStore;
  /** The seller's own id of what is sold; goes into the quote. */
  service?: string;
  /**
   * Whether a receipt has to name an invoice of ours, which ties it to method, URL and body. Without one, a payment is
   * good for any request at the same price to the same recipient. `optional` takes both. Default true.
   */
  bind?: boolean | 'optional';
  /** How old a payment may be, by its block's time. Default 600. */
  maxAgeSeconds?: number;
  /** How long an invoice may be paid. Default 1800: a person may have to approve the payment first. */
  invoiceSeconds?: number;
  /** Up to this price a `confirmed` payment is enough, above it has to be `finalized`. Default `1.00`. */
  confirmedUpTo?: string;
  /** How long one request waits for the chain to show its payment. Default 2000. */
  visibleWithinMs?: number;
  rpcTimeoutMs?: number;
  maxBodyBytes?: number;
  /**
   * The time in Unix milliseconds that blocks are compared with. Default: this machine's clock; on the sandbox, whose
   * time can be warped ahead of it, the newest block's time.
   */
  now?: () => number | Promise<number>;
  log?: Pick<Log, 'warn'>;
}

/** What was paid for a request: on `request.payment`, and in Express on `response.locals.payment` too. */
export type Payment = Receipt;

/**
 * For Express and for `node:http`. `next()` is called once, when the request is paid for; `next(error)` when something
 * broke, and then nothing was granted. Every other answer has been sent: 402 with a quote, 413, or 503.
 */
export type Paywall = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => Promise<void>;

interface PaidRequest extends IncomingMessage {
  originalUrl?: string;
  payment?: Payment;
}
interface LocalsResponse extends ServerResponse {
  locals?: Record<string, unknown>;
}

/** Throws when an option makes no sense. */
export const paywall = (options: PaywallOptions): Paywall => {
  const terms = readTerms(options);
  const { store, service, rpcUrl, network, log } = options;
  const { rpcTimeoutMs = 5000, invoiceSeconds = 1800, maxBodyBytes = 1024 * 1024 } = options;
  const reader = createTransactionReader({ rpcUrl, network, timeoutMs: rpcTimeoutMs });
  const { now = network === 'sandbox' ? reader.chainTime : Date.now } = options;
  const tokenAccount = rememberOne((owner: string) =>
    getAssociatedTokenAddressSync(new PublicKey(terms.mint), new PublicKey(owner), true).toBase58(),
  );
  const verify = createVerifier({ terms, reader, store, now, tokenAccount, wait });

  const issueInvoice = async (asked: RequestPrint): Promise<Invoiced> => {
    if (terms.bind === false) return {};
    const id = randomBytes(16).toString('base64url');
    const expiresAt = (await now()) + invoiceSeconds * 1000;
    await store.saveInvoice({ id, ...asked, amount: terms.price, recipient: terms.recipient, expiresAt });
    return { invoice: id, expiresAt: new Date(expiresAt).toISOString() };
  };

  const refuse = (response: ServerResponse, { code, message }: Refusal, quote: Invoiced & { retry?: true }) =>
    send(response, 402, {
      error: message,
      code,
      amount: formatUsdc(terms.price),
      currency: 'USDC',
      recipient: terms.recipient,
      network,
      service,
      ...quote,
    });

  /** True when the request is paid for; otherwise it was answered. */
  const admit = async (request: PaidRequest, response: LocalsResponse): Promise<boolean> => {
    const body = await readRawBody(request, maxBodyBytes);
    if ('tooLarge' in body) {
      response.setHeader('connection', 'close');
      send(response, 413, { error: `The body is longer than ${maxBodyBytes} bytes`, code: 'too_large' });
      return false;
    }
    const asked = printOf(request, body);
    const header = request.headers['x-payment'];
    if (typeof header !== 'string') {
      refuse(response, paymentRequired(terms.price), await issueInvoice(asked));
      return false;
    }
    const verdict = await verify(header, asked);
    if ('granted' in verdict) {
      request.payment = verdict.granted;
      if (response.locals) response.locals['payment'] = verdict.granted;
      return true;
    }
    if (verdict.pending) {
      // The invoice that was paid, not a fresh one: nobody shall pay twice because the chain is slow.
      response.setHeader('retry-after', '2');
      const { invoice } = verdict.receipt;
      refuse(response, verdict.refused, { retry: true, ...(invoice === undefined ? {} : { invoice }) });
    } else refuse(response, verdict.refused, await issueInvoice(asked));
    return false;
  };

  return async (request, response, next) => {
    let admitted: boolean;
    try {
      admitted = await admit(request, response);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'chain_unreachable')) return next(error);
      log?.warn({ err: error }, 'payments cannot be verified');
      response.setHeader('retry-after', '5');
      return send(response, error.status, { error: error.message, code: error.code, retry: true });
    }
    if (admitted) next();
  };
};

/** For `express.json({verify: keepRawBody})` where a body parser comes before the paywall. */
export const keepRawBody = (
  request: IncomingMessage & { rawBody?: Buffer },
  _: unknown,
  bytes: Buffer,
): void => {
  request.rawBody = bytes;
};

interface Invoiced {
  invoice?: string;
  expiresAt?: string;
}

const readTerms = (options: PaywallOptions): Terms => {
  const { recipient, network, bind = true, maxAgeSeconds = 600, visibleWithinMs = 2000 } = options;
  const price = parseUsdc(options.price);
  const confirmedUpTo = parseUsdc(options.confirmedUpTo ?? '1.00');
  invariant(price !== null && price > 0n, 'the price is a decimal above zero');
  invariant(confirmedUpTo !== null, 'confirmedUpTo is a decimal');
  invariant(base58Bytes(recipient, 32) !== null, 'the recipient is a Solana address');
  const maxAgeMs = maxAgeSeconds * 1000;
  return {
    price,
    recipient,
    network,
    bind,
    mint: usdcMints[network],
    maxAgeMs,
    confirmedUpTo,
    visibleWithinMs,
  };
};

const printOf = (request: PaidRequest, body: Buffer): RequestPrint => ({
  method: request.method ?? '',
  // A router strips the path that it is mounted at from `url`.
  url: request.originalUrl ?? request.url ?? '',
  bodySha256: createHash('sha256').update(body).digest('hex'),
});

const paymentRequired = (price: Usdc): Refusal =>
  refusal(
    'payment_required',
    `Pay ${formatUsdc(price)} USDC, then repeat the request with the receipt in X-Payment`,
  );

// Nearly every payment goes to the wallet of the options; deriving an account costs more than all other checks.
const rememberOne = (derive: (key: string) => string) => {
  let last: { key: string; value: string } | undefined;
  return (key: string): string => {
    if (last?.key !== key) last = { key, value: derive(key) };
    return last.value;
  };
};

const send = (response: ServerResponse, status: number, body: Record<string, unknown>): void => {
  const text = JSON.stringify(body);
  response.statusCode = status;
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.setHeader('cache-control', 'no-store');
  response.end(text);
};
