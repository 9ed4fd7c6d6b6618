// Paying a service, and asking what became of a payment.
import { z } from 'zod';
import { paymentReply, paymentResult } from '../../contract/payment-replies.ts';
import { AppError } from '../../errors.ts';
import { waitingPayment, waitingPaymentOf } from '../pending.ts';
import { payOnce } from '../pay-once.ts';
import { amount, reason } from '../arguments.ts';
import { reading, tool } from '../tool.ts';

const pay = tool('pay', {
  title: 'Pay a service',
  description:
    'Pays a service from this agent’s wallet within its policy and returns the receipt, which you send as the X-Payment header with your next request to that service. For services that take such receipts alone; prefer paid_fetch, which does all of it and pays x402 and MPP too. Repeating a call whose answer was lost or still waits does not pay twice.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.object({
    service: z.string().describe('service id, from find_service'),
    amount: amount('how much'),
    currency: z.literal('USDC').default('USDC'),
    description: z.string().max(280).default('').describe('what it is for; the owner reads it'),
    reason,
    invoice: z.string().max(64).optional().describe('the invoice of the seller’s 402, when it names one'),
  }),
  output: [paymentResult, waitingPayment],
  async run({ invoice, reason: why, ...told }, { client, payments }, signal) {
    const body = {
      ...told,
      ...(invoice === undefined ? {} : { invoice }),
      ...(why === undefined ? {} : { reason: why }),
    };
    const answer = await payOnce({ client, signal }, payments, body);
    if (answer.status === 200)
      return {
        text: `${answer.body.amount} USDC paid to ${told.service}. Send xPaymentHeader as the X-Payment header.`,
        content: { ...answer.body },
      };
    const content = waitingPaymentOf(answer.body);
    return { text: content.message, content };
  },
});

const settled = ['confirmed', 'failed', 'denied'];

const getPayment = tool('get_payment', {
  title: 'What became of a payment?',
  description:
    'The present state of a payment by its paymentId; once confirmed, with the receipt (xPaymentHeader). Use it after an answer that said pending, unknown or awaiting_approval.',
  annotations: reading,
  input: z.object({ paymentId: z.string() }),
  output: [paymentReply],
  async run({ paymentId }, { client, payments }) {
    if (paymentId === '') throw new AppError('bad_request', 'paymentId: must not be empty.');
    const { body } = await client.ask('getPayment', {
      params: { paymentId } as { agentId: string; paymentId: string },
    });
    if (settled.includes(body.status)) payments.settle(paymentId);
    const foreign =
      body.failure === null ? undefined : 'what is known of it, with what its seller may have said';
    return { text: `The payment is ${body.status}.`, content: { ...body }, foreign };
  },
});

export const paymentTools = [pay, getPayment];
