// Asking a paid API: the request, the 402, the payment, the same request with the receipt.
import { setTimeout as wait } from 'node:timers/promises';
import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { formatUsdc, parseUsdc } from '../../money.ts';
import type { OpenCall } from '../open-calls.ts';
import { payOnce } from '../pay-once.ts';
import { waitingPayment, waitingPaymentOf } from '../pending.ts';
import { readQuote, type Bought, type Quote } from '../quote.ts';
import { askSeller, sellerHeaders, sellerUrl, type SellerAnswer, type SellerRequest } from '../seller.ts';
import { tool, type BridgeDeps, type Said } from '../tool.ts';

const fetched = z.object({
  status: z.number().describe('HTTP status of the seller’s answer'),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  encoding: z.enum(['utf8', 'base64']).describe('of body'),
  payment: z
    .object({
      paymentId: z.string(),
      service: z.string(),
      amount: z.string(),
      currency: z.string(),
      txSignature: z.string(),
      timestamp: z.string(),
    })
    .nullable()
    .describe('null: nothing had to be paid'),
});

const wanted = z.object({
  url: z.string().describe('https; on the sandbox network also http://127.0.0.1'),
  method: z.enum(['GET', 'POST']).default('GET'),
  headers: z.record(z.string(), z.string()).default({}).describe('further request headers'),
  body: z.string().max(1_048_576).optional().describe('for POST'),
  service: z.string().optional().describe('service id, when the 402 does not name one; see find_service'),
  maxAmount: z.string().optional().describe('do not pay more than this, decimal USDC'),
});

type Purchasing = Pick<BridgeDeps, 'client' | 'purchases'>;
export type Fetched = z.output<typeof fetched> | z.output<typeof waitingPayment>;

/** Also the command's. @throws AppError as treasury or seller refused it */
export const fetchPaid = async (
  args: z.output<typeof wanted>,
  deps: Purchasing,
  signal: AbortSignal,
): Promise<Said<Fetched>> => {
  if (args.body !== undefined && args.method === 'GET')
    throw new AppError('bad_request', 'body: only POST has one.');
  const request: SellerRequest = {
    url: sellerUrl(args.url, deps.client.place()),
    method: args.method,
    headers: sellerHeaders(args.headers),
    body: args.body,
  };
  const kind = JSON.stringify([request.url.href, request.method, request.headers, args.body, args.service]);
  return purchase(request, kind, args, deps, signal);
};

export const paidFetch = tool('paid_fetch', {
  title: 'Call a paid API',
  description:
    'Sends an HTTP request and, when the API answers 402 Payment Required, pays it within this agent’s policy and sends the request again with the receipt. The usual way to use a paid API. Repeating a call whose answer was lost or still waits does not pay twice.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: wanted,
  output: [fetched, waitingPayment],
  run: fetchPaid,
});

interface Wishes {
  service?: string | undefined;
  maxAmount?: string | undefined;
}

const purchase = async (
  request: SellerRequest,
  kind: string,
  wishes: Wishes,
  deps: Purchasing,
  signal: AbortSignal,
): Promise<Said<Fetched>> => {
  const call = deps.purchases.take(kind);
  const isRepeated = call.memory !== null;
  if (call.memory === null) {
    const first = await askSeller(request, signal);
    if (first.status !== 402) return free(first);
    const quote = readQuote(first.headers, first.bytes.toString('utf8'));
    call.memory = { quote, service: serviceOf(quote, wishes), payment: null };
  }
  const bought = call.memory;
  if (bought.payment === null) {
    // A price that was never agreed to is forgotten; a payment that may be under way is not.
    const keep = (): void => (isRepeated ? deps.purchases.leave(kind, call) : undefined);
    withinWish(bought.quote, wishes.maxAmount, keep);
    const pending = await payQuote(request, kind, call, bought, deps, signal);
    if (pending !== null) return pending;
  }
  return collect(request, kind, call, bought, deps, signal);
};

const free = (answer: SellerAnswer): Said<Fetched> => ({
  text: `The API answered ${answer.status} and asked for no payment.`,
  content: { ...shown(answer), payment: null },
});

const serviceOf = (quote: Quote, { service }: Wishes): string => {
  if (service !== undefined && quote.service !== undefined && service !== quote.service)
    throw new AppError(
      'bad_request',
      `service: the seller says that it is ${quote.service}, not ${service}. Nothing was paid.`,
    );
  const named = service ?? quote.service;
  if (named !== undefined) return named;
  throw new AppError(
    'bad_request',
    `The seller asks for ${quote.amount} USDC and does not say which service it is. Nothing was paid.`,
    { next: 'Look the service up with find_service and call paid_fetch again with its id as service.' },
  );
};

const withinWish = (quote: Quote, maxAmount: string | undefined, keep: () => void): void => {
  if (maxAmount === undefined) return;
  const most = parseUsdc(maxAmount);
  const asked = parseUsdc(quote.amount);
  if (most !== null && asked !== null && asked <= most) return;
  keep();
  throw most === null
    ? new AppError('bad_request', 'maxAmount: must be a decimal string such as "1.50".')
    : new AppError(
        'max_per_payment',
        `The seller asks for ${quote.amount} USDC, more than your maxAmount of ${formatUsdc(most)}. Nothing was paid.`,
        {
          next: 'Call it again with a higher maxAmount, or do without.',
        },
      );
};

/** Null once it is paid. */
const payQuote = async (
  { url, method }: SellerRequest,
  kind: string,
  call: OpenCall<Bought>,
  bought: Bought,
  { client, purchases }: Purchasing,
  signal: AbortSignal,
): Promise<Said<Fetched> | null> => {
  const { quote, service } = bought;
  const body = {
    service,
    amount: quote.amount,
    currency: quote.currency,
    description: `${method} ${url.origin}${url.pathname}`.slice(0, 280),
    ...(quote.invoice === undefined ? {} : { invoice: quote.invoice }),
  };
  const answer = await payOnce(client, purchases, kind, call, body, signal);
  if (answer.status === 202) {
    const content = waitingPaymentOf(answer.body);
    const message = `${content.message} Then call paid_fetch again with the same arguments: it uses this payment.`;
    return { text: message, content: { ...content, message } };
  }
  const { paymentId, txSignature, timestamp, xPaymentHeader } = answer.body;
  bought.payment = { paymentId, txSignature, timestamp, receipt: xPaymentHeader };
  return null;
};

const presentations = 4;
const betweenMs = 1_500;

/** Shows the receipt until the seller has answered; a seller that does not see the payment yet is asked again. */
const collect = async (
  request: SellerRequest,
  kind: string,
  call: OpenCall<Bought>,
  bought: Bought,
  { purchases }: Purchasing,
  signal: AbortSignal,
): Promise<Said<Fetched>> => {
  const { payment, quote, service } = bought;
  if (payment === null) throw new AppError('internal', 'A purchase is collected before it is paid.');
  const paid = { ...request, headers: { ...request.headers, 'X-Payment': payment.receipt } };
  const { receipt: _, ...told } = payment;
  const details = { ...told, service, amount: quote.amount };
  let hasAnswered = false;
  try {
    for (let left = presentations; ; left -= 1) {
      const answer = await askSeller(paid, signal).catch((error: unknown) => {
        throw error instanceof AppError ? unanswered(error, details) : error;
      });
      if (answer.status >= 500)
        throw unanswered(new AppError('not_available', `The seller answered ${answer.status}.`), details);
      if (answer.status === 402 && left > 1 && wantsRetry(answer)) {
        await wait(betweenMs, undefined, { signal });
        continue;
      }
      if (answer.status === 402 && wantsRetry(answer))
        throw unanswered(new AppError('not_available', 'The seller does not see the payment yet.'), details);
      hasAnswered = !signal.aborted;
      if (answer.status === 402) throw refusedReceipt(answer, details);
      return {
        text: `${quote.amount} USDC paid to ${service}; the API answered ${answer.status}.`,
        content: { ...shown(answer), payment: { ...details, currency: quote.currency } },
      };
    }
  } finally {
    if (!hasAnswered) purchases.leave(kind, call);
  }
};

const wantsRetry = ({ headers, bytes }: SellerAnswer): boolean => {
  try {
    return readQuote(headers, bytes.toString('utf8')).retry === true;
  } catch {
    return false;
  }
};

type Details = Readonly<Record<string, unknown>>;

const unanswered = ({ message }: AppError, details: Details): AppError =>
  new AppError('not_available', `${message} It is paid, and not delivered yet.`, {
    ...details,
    next: 'Call paid_fetch again with the same arguments: it shows the same receipt and does not pay again.',
  });

const refusedReceipt = ({ bytes }: SellerAnswer, details: Details): AppError =>
  new AppError('not_available', `The seller took the payment and refused the receipt: ${saidBy(bytes)}`, {
    ...details,
    next: 'Do not pay this seller again. Tell your user, with the paymentId.',
  });

const saidBy = (bytes: Buffer): string => JSON.stringify(bytes.toString('utf8').slice(0, 300));

const toldHeaders = ['content-type', 'location', 'retry-after'];

const shown = ({ status, headers, bytes }: SellerAnswer) => ({
  status,
  headers: Object.fromEntries([...headers].filter(([name]) => toldHeaders.includes(name))),
  ...(isUtf8(bytes)
    ? { body: bytes.toString('utf8'), encoding: 'utf8' as const }
    : { body: bytes.toString('base64'), encoding: 'base64' as const }),
});
