// Asks a paid API: the treasury sends the request, reads the 402, pays, and repeats the request.
import { z } from 'zod';
import { fetchResult, pendingFetch } from '../../contract/payments/payments.schemas.ts';
import type { Accepted, Reply } from '../../contract/schemas.ts';
import { fetchTimes } from '../../client/fetch-times.ts';
import { amount, reason, waitSecondsIfTold } from '../arguments.ts';
import { tool } from '../tool.ts';

/** A model has no use for more, and the treasury reserves disk space for answers. */
const usualBytes = 1024 * 1024;

const wanted = z.object({
  url: z.string().describe('https, or http on this machine where the owner allowed it'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  headers: z.record(z.string(), z.string()).default({}).describe('further request headers'),
  body: z.string().optional().describe('of the request; not with GET; at most some 60 kB'),
  maxAmount: amount('the most to pay').optional(),
  reason,
  timeoutSeconds: z.int().min(1).optional().describe('for a slow API; default: 300 once it is paid'),
  maxBytes: z.int().min(1).default(usualBytes).describe('of the answer'),
  waitSeconds: waitSecondsIfTold('the answer; the purchase goes on'),
});

export const paidFetch = tool('paid_fetch', {
  title: 'Call a paid API',
  description:
    'Calls an API, listed or not. When it answers 402 Payment Required, the treasury pays what it asks for in USDC on Solana, within this agent’s policy, and returns the answer. It understands x402 (versions 1 and 2), MPP, and this treasury’s own receipts; no account with the API is needed. The usual way to use a paid API. Repeating a call whose answer was lost, still waits or was paid and not delivered does not pay twice; after an answer the same call is a new purchase.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  input: wanted,
  output: [fetchResult, pendingFetch.omit({ message: true })],
  async run(
    { body, maxAmount, timeoutSeconds, waitSeconds: wished, reason: why, ...request },
    { buyer },
    signal,
  ) {
    const asked = {
      ...request,
      ...(body === undefined ? {} : { body }),
      ...(maxAmount === undefined ? {} : { maxAmount }),
      ...(why === undefined ? {} : { reason: why }),
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    };
    const times = fetchTimes(asked);
    const answer = await buyer.buy('fetch', asked, {
      ...times,
      waitSeconds: wished ?? times.waitSeconds,
      signal,
    });
    if (answer.status === 200) {
      return {
        text: sentenceOf(answer.body),
        content: { ...answer.body, headers: telling(answer.body.headers) },
        foreign: 'what the seller answered',
        received: answer.body.payment?.paymentId,
      };
    }
    const foreign = answer.body.seller === undefined ? undefined : 'an answer with what the seller said';
    return { text: nextOf(answer.body), content: { ...answer.body }, foreign };
  },
});

/** Headers of the connection, and proofs of payment, which the treasury has read. */
const noise = /^(connection|keep-alive|transfer-encoding|date|payment-re.*|x-payment-response)$/;

const telling = (headers: Reply<'fetch'>['headers']): Reply<'fetch'>['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !noise.test(name)));

/** Also used by `treasury fetch`. */
export const sentenceOf = ({ status, payment }: Reply<'fetch'>): string => {
  if (payment === null) return `The API answered ${status} and asked for no payment.`;
  const paid = `${payment.amount} ${payment.currency} paid to ${payment.service}; the API answered ${status}.`;
  return payment.status === 'confirmed'
    ? paid
    : `${paid} The payment is ${payment.status}: the treasury has yet to find it on the chain.`;
};

const nextOf = ({
  paymentId,
  status,
  approvalId,
  expiresAt,
  seller,
  delivering,
}: Accepted<'fetch'>): string => {
  const again = 'call paid_fetch again with the same arguments: it goes on with this payment';
  if (status === 'awaiting_approval')
    return `This payment needs the owner’s approval, and the owner was asked (approval ${approvalId ?? ''}). Nothing is paid yet. Go on with other work; then ${again}. Unanswered, it is refused at ${expiresAt ?? 'its deadline'}.`;
  if (delivering === true)
    return `The seller has been shown the payment ${paymentId}, and its answer is still being delivered. Do not pay again: ${again}.`;
  const said =
    seller === undefined
      ? ''
      : seller.status === null
        ? ' The seller did not answer.'
        : ` The seller answered ${seller.status}; its words are in seller.error.`;
  return `The payment ${paymentId} is ${status} and the answer has not come.${said} Do not pay again: in half a minute ${again}; get_payment shows what became of it.`;
};
