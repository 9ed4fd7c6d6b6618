// Paying under a key that outlives a lost answer: the same call, made again, asks about the same payment.
import type { AgentClient, Answer } from '../client/agent-client.ts';
import type { Input } from '../contract/schemas.ts';
import { AppError } from '../errors.ts';
import type { OpenCall, OpenCalls } from './open-calls.ts';

/** An MCP host waits for a minute at most; the chain confirms within seconds. */
const waitSeconds = 20;

/** @throws AppError as the treasury refused it */
export const payOnce = async <M>(
  client: AgentClient,
  open: OpenCalls<M>,
  kind: string,
  call: OpenCall<M>,
  body: NonNullable<Input<'pay'>['body']>,
  signal: AbortSignal,
): Promise<Answer<'pay'>> => {
  let isOpen = true;
  try {
    const answer = await client.ask('pay', { body }, { key: call.key, waitSeconds, signal });
    call.paymentId = answer.body.paymentId;
    // Without its reader the answer is as good as lost.
    isOpen = answer.status === 202 || signal.aborted;
    return answer;
  } catch (error) {
    isOpen = signal.aborted || !isLastWord(error);
    throw error;
  } finally {
    if (isOpen) open.leave(kind, call);
  }
};

/** Whether nothing can come of this payment any more. */
const isLastWord = (error: unknown): boolean => {
  if (!(error instanceof AppError)) return false;
  const isPaid = error.code === 'locked' && error.details?.['paymentId'] !== undefined;
  return !isPaid && error.code !== 'halted' && error.code !== 'internal';
};
