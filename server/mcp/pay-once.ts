// Paying under a key that outlives a lost answer: the same call, made again, asks about the same payment.
import type { AgentClient, Answer } from '../client/agent-client.ts';
import { fetchTimes } from '../client/fetch-times.ts';
import type { Input } from '../contract/schemas.ts';
import { AppError } from '../errors.ts';
import type { OpenCall, OpenCalls } from './open-calls.ts';

/** An MCP host waits for a minute at most; the chain confirms within seconds. */
const waitSeconds = 20;

interface Paying {
  client: AgentClient;
  signal: AbortSignal;
}

/** @throws AppError as the treasury refused it */
export const payOnce = (
  { client, signal }: Paying,
  open: OpenCalls<null>,
  body: NonNullable<Input<'pay'>['body']>,
): Promise<Answer<'pay'>> => {
  const kind = JSON.stringify(body);
  const call = open.take(kind);
  return keeping(open, kind, call, signal, () =>
    client.ask('pay', { body }, { key: call.key, waitSeconds, signal }),
  );
};

export type FetchBody = NonNullable<Input<'fetch'>['body']>;
/** What was wished as `maxAmount` under one key, the last wish first. */
export type Wishes = readonly FetchBody['maxAmount'][];

/**
 * The same request is the same purchase until the seller has delivered, whatever it may cost and however long it may
 * take: who changes `maxAmount`, `timeoutSeconds` or `maxBytes` while a payment is under way does not want to pay twice.
 * @throws AppError as the treasury refused it
 */
export const fetchOnce = (
  { client, signal }: Paying,
  open: OpenCalls<Wishes>,
  body: FetchBody,
): Promise<Answer<'fetch'>> => {
  const { maxAmount, timeoutSeconds, maxBytes, ...request } = body;
  const limits = { ...(timeoutSeconds && { timeoutSeconds }), ...(maxBytes && { maxBytes }) };
  const kind = JSON.stringify(request);
  const call = open.take(kind);
  const former = (call.memory ?? []).filter((wish) => wish !== maxAmount);
  call.memory = [maxAmount, ...former];
  const ask = async ([wish, ...others]: Wishes): Promise<Answer<'fetch'>> => {
    const sent = { ...request, ...limits, ...(wish === undefined ? {} : { maxAmount: wish }) };
    try {
      return await client.ask('fetch', { body: sent }, { key: call.key, ...fetchTimes(body), signal });
    } catch (error) {
      // It was taken with a former wish, which the treasury goes on with.
      const isTaken = error instanceof AppError && error.code === 'idempotency_conflict';
      if (!isTaken || others.length === 0) throw error;
      return ask(others);
    }
  };
  return keeping(open, kind, call, signal, () => ask(call.memory ?? []));
};

const keeping = async <M, A extends Answer<'pay'> | Answer<'fetch'>>(
  open: OpenCalls<M>,
  kind: string,
  call: OpenCall<M>,
  signal: AbortSignal,
  work: () => Promise<A>,
): Promise<A> => {
  let isOpen = true;
  try {
    const answer = await work();
    call.paymentId = 'paymentId' in answer.body ? answer.body.paymentId : call.paymentId;
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

const unknownEnds = ['halted', 'internal', 'idempotency_conflict', 'not_delivered'];
/** Refusals, unless they come after the payment. */
const mayBePaid = [
  'locked',
  'not_available',
  'answer_too_large',
  'answer_too_slow',
  'answers_full',
  'disk_low',
];

/** Whether nothing can come of this payment any more. */
const isLastWord = (error: unknown): boolean => {
  if (!(error instanceof AppError)) return false;
  if (unknownEnds.includes(error.code)) return false;
  return !mayBePaid.includes(error.code) || error.details?.['paymentId'] === undefined;
};
