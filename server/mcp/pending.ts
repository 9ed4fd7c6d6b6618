// A payment without an outcome yet, described so that a model does not pay twice.
import { z } from 'zod';
import type { Accepted } from '../contract/schemas.ts';
import type { Shown } from './results.ts';

export const waitingPayment = z.object({
  paymentId: z.string(),
  status: z.enum(['pending', 'unknown', 'awaiting_approval']),
  approvalId: z.string().optional(),
  expiresAt: z.string().optional(),
});

export const waitingPaymentOf = (pending: Accepted<'pay'>): Shown => ({
  content: { ...pending },
  text:
    pending.status === 'awaiting_approval'
      ? `This payment needs the owner’s approval, and the owner was asked (approval ${pending.approvalId ?? ''}). Nothing is paid yet. Go on with other work, or wait for it with get_payment "${pending.paymentId}" and waitSeconds; unanswered, it expires at ${pending.expiresAt ?? 'its deadline'}.`
      : `The payment is under way and not confirmed yet. Do not pay again: wait for it with get_payment "${pending.paymentId}" and waitSeconds.`,
});
