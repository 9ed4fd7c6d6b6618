// What a tool answers: structured content beside a sentence for the model. Refusals say what the agent can do next.
import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { AppError } from '../errors.ts';

export const refusal = z.object({
  error: z.string().describe('what was refused, and why'),
  code: z.string(),
  details: z.record(z.string(), z.unknown()),
  next: z.string().describe('what you can do'),
});

/** The owner has to say yes first. */
export const waiting = z.object({
  status: z.literal('awaiting_approval'),
  approvalId: z.string().describe('look again with get_approval'),
  expiresAt: z.string().describe('when it counts as refused; ISO 8601, UTC'),
  message: z.string(),
});

export const waitingFor = (
  what: string,
  asked: { approvalId: string; expiresAt: string },
): z.output<typeof waiting> => ({
  status: 'awaiting_approval',
  approvalId: asked.approvalId,
  expiresAt: asked.expiresAt,
  message: `${what} needs the owner's word, and the owner was asked. It is not done yet. Go on with other work and look again with get_approval "${asked.approvalId}"; unanswered, it is refused at ${asked.expiresAt}.`,
});

export const succeeded = (
  text: string,
  content: Record<string, unknown>,
  image?: { data: string; mimeType: string },
): CallToolResult => ({
  content: [
    { type: 'text', text: `${text}\n${JSON.stringify(content)}` },
    ...(image === undefined ? [] : [{ type: 'image' as const, ...image }]),
  ],
  structuredContent: content,
});

export const refused = (error: AppError): CallToolResult => {
  const { code, message, details = {} } = error;
  const next = typeof details['next'] === 'string' ? details['next'] : nextOf(error);
  return {
    isError: true,
    content: [{ type: 'text', text: `${message}\n${next}\n${JSON.stringify({ code, details })}` }],
    structuredContent: { error: message, code, details, next },
  };
};

const nextOf = ({ code, details }: AppError): string => {
  const retryAt = details?.['retryAt'];
  if (typeof retryAt === 'string')
    return `Call it again at ${retryAt}, or ask the owner with request_budget.`;
  if (details?.['rule'] === 'maxAmount') return 'Call it again with a higher maxAmount, or do without.';
  return nextSteps[code] ?? 'Do not repeat the call unchanged; tell your user what happened.';
};

const nextSteps: Readonly<Record<string, string>> = {
  bad_request: 'Correct the arguments and call it again.',
  unauthorized:
    'This bridge acts for one agent alone: leave agentId out or name that agent. Otherwise ask the owner for a new key.',
  max_per_payment: 'Ask the owner for a higher maxPerPayment with request_budget, or buy something cheaper.',
  daily_budget: 'Ask the owner for a higher dailyBudget with request_budget.',
  owner_ceiling: 'Only the owner can change the limit over all agents: tell your user.',
  service_not_allowed:
    'Use a service of allowedServices (see get_policy), or ask for another list with set_policy.',
  insufficient_balance: 'Ask the owner for USDC with allocate_budget.',
  approval_denied: 'The owner refused. Do not ask for the same again; tell your user.',
  approval_expired: 'The owner did not answer in time. Ask once more when the owner is there.',
  suspended: 'Only the owner can lift it: ask with resume_agent.',
  frozen: 'The owner stopped all payments. Wait, and tell your user.',
  not_found: 'Check the id: services are found with find_service.',
  conflict: 'Choose another id.',
  too_many_requests: 'Wait until the owner has decided; look with get_approval.',
  internal:
    'Call it again with the same arguments: it goes on with the same payment and does not make another.',
  not_delivered:
    'Do not pay for it again. The same call with the same arguments shows the seller the same payment once more; if that does not help, tell your user, with the paymentId.',
  answer_too_large:
    'Call it again with a higher maxBytes and otherwise the same arguments: what is paid is not paid again.',
  answer_too_slow:
    'Call it again with a higher timeoutSeconds and otherwise the same arguments: what is paid is not paid again.',
  answers_full: 'Nothing was paid. Call it again with a lower maxBytes, or tell your user.',
  disk_low: 'Nothing was paid: the disk is full. Tell your user.',
  payment_failed: 'Nothing was spent. You may call it again.',
  generation_failed: 'What was charged is refunded. You may ask for it again, or for another model.',
  chain_unreachable: 'Nothing was spent. Call it again in a minute.',
  locked: 'The owner has locked the treasury: tell your user, and call it again when it is unlocked.',
  halted: 'When it runs again, call it again with the same arguments: nothing is paid twice.',
};
