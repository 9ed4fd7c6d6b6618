// For authors of paid APIs: quotes a price, and lets a request through when a receipt proves that it was paid.
//
//   app.get('/forecast', paywall({ price: '0.05', recipient, rpcUrl, network: 'mainnet', store }), forecast);
//
// Mount it before body parsers: an invoice is bound to the raw body. The paywall reads the body and puts it back, so a
// parser may follow. A parser that must come first has to keep the bytes: express.json({verify: keepRawBody}). A
// payment is granted at most once, and before the request is served: if serving then fails, the payment stays used.
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import { formatUsdc } from '../money.ts';
import type { Usdc } from '../money.ts';
import { readOptions } from './options.ts';
import { readRawBody } from './raw-body.ts';
import { refusal } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { associatedTokenAccount } from './token-account.ts';
import type { Payment, Paywall, PaywallOptions } from './types.ts';
import { createTransactionReader } from './transaction-reader.ts';
import { createVerifier } from './verify-receipt.ts';
import type { RequestPrint } from './verify-receipt.ts';

interface PaidRequest extends IncomingMessage {
  originalUrl?: string;
  payment?: Payment;
}
interface LocalsResponse extends ServerResponse {
  locals?: Record<string, unknown>;
}

/** @throws Error that names the option when one makes no sense */
export const paywall = (options: PaywallOptions): Paywall => {
  const { terms, store, service, rpcUrl, network, log, ...read } = readOptions(options);
  const { rpcTimeoutMs, invoiceSeconds, maxBodyBytes } = read;
  const reader = createTransactionReader({ rpcUrl, network, timeoutMs: rpcTimeoutMs });
  const { now = network === 'sandbox' ? reader.chainTime : Date.now } = read;
  const tokenAccount = rememberOne((owner: string) => associatedTokenAccount(terms.mint, owner));
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
      // The invoice that was paid, not a new one: a slow chain must not make anybody pay twice.
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

/** For `express.json({verify: keepRawBody})` when a body parser comes before the paywall. */
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
