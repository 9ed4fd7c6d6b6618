// Paying a service, and looking up a payment.
import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { paymentReply, paymentResult } from '../../contract/payments/payments.schemas.ts';
import type { Reply } from '../../contract/schemas.ts';
import { fieldError } from '../../errors.ts';
import { waitingPayment, waitingPaymentOf } from '../pending.ts';
import { amount, reason, waitSeconds } from '../arguments.ts';
import { stoppedMeanwhile } from '../stops.ts';
import { reading, tool } from '../tool.ts';

const pay = tool('pay', {
  title: 'Pay a service',
  description:
    'Pays a service within this agent’s policy and returns the receipt, which you send as the X-Payment header with your next request to it. Only for services that take such receipts; otherwise use paid_fetch, which does all of it. Repeating a call whose answer was lost or still waits does not pay twice.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  input: z.object({
    service: z.string().describe('service id, from find_service'),
    amount: amount('how much'),
    currency: z.literal('USDC').default('USDC'),
    description: z.string().max(280).default('').describe('what is bought; the owner reads it'),
    reason,
    invoice: z.string().max(64).optional().describe('of the seller’s 402, when it names one'),
    waitSeconds: waitSeconds('the chain, or the owner'),
  }),
  output: [paymentResult, waitingPayment],
  async run({ invoice, reason: why, waitSeconds: wished, ...asked }, { buyer }, signal) {
    const body = {
      ...asked,
      ...(invoice === undefined ? {} : { invoice }),
      ...(why === undefined ? {} : { reason: why }),
    };
    const answer = await buyer.buy('pay', body, { waitSeconds: wished, signal });
    if (answer.status === 200)
      return {
        text: `${answer.body.amount} USDC paid to ${asked.service}. Send xPaymentHeader as the X-Payment header.`,
        content: { ...answer.body },
        received: answer.body.paymentId,
      };
    return waitingPaymentOf(answer.body);
  },
});

/** A model has no use for more. */
const mostBytes = 1024 * 1024;

const delivered = z.object({ body: z.string(), encoding: z.enum(['utf8', 'base64']) });

const underWay: readonly string[] = ['awaiting_approval', 'pending', 'unknown'];

const isUnderWay = ({ status, delivery }: Reply<'getPayment'>): boolean =>
  underWay.includes(status) || (status === 'confirmed' && delivery === 'open');

const getPayment = tool('get_payment', {
  title: 'What became of a payment?',
  description:
    'The state of a payment; once confirmed, with the receipt (xPaymentHeader), and with what the seller delivered as long as that is kept. For after an answer that said pending, unknown or awaiting_approval.',
  annotations: reading,
  input: z.object({ paymentId: z.string(), waitSeconds: waitSeconds('its outcome', 0) }),
  output: [paymentReply.extend({ delivered: delivered.optional() })],
  async run({ paymentId, waitSeconds: wished }, { client, news }, signal) {
    if (paymentId === '') throw fieldError('paymentId', 'must not be empty');
    const params = { paymentId } as { agentId: string; paymentId: string };
    const { found, stop } = await news.until(
      () => client.ask('getPayment', { params }),
      (answer) => !isUnderWay(answer.body),
      {
        concerns: ({ type, data }) => type === 'payment' && data.paymentId === paymentId,
        waitMs: wished * 1_000,
        signal,
      },
    );
    const { body } = found;
    const kept = body.answer !== null && body.answer.bytes <= mostBytes;
    const bytes = kept ? (await client.ask('answer', { params })).body : null;
    const isReceived = body.status === 'confirmed' && (Buffer.isBuffer(bytes) || body.delivery === null);
    const foreign =
      body.failure === null && bytes === null ? undefined : 'what is known of it, with what its seller said';
    return {
      text: `The payment is ${body.status}.${stoppedMeanwhile(stop)}`,
      content: { ...body, ...(Buffer.isBuffer(bytes) ? { delivered: textOf(bytes) } : {}) },
      foreign,
      received: isReceived ? paymentId : undefined,
    };
  },
});

const textOf = (bytes: Buffer): z.output<typeof delivered> =>
  isUtf8(bytes)
    ? { body: bytes.toString('utf8'), encoding: 'utf8' }
    : { body: bytes.toString('base64'), encoding: 'base64' };

export const paymentTools = [pay, getPayment];
