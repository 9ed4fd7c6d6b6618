// Paying under a key that outlives a lost answer: the same call, made again, asks about the same payment.
import type { AgentClient, Answer } from '../client/agent-client.ts';
import type { Input } from '../contract/schemas.ts';
import { AppError } from '../errors.ts';
import type { OpenCall, OpenCalls } from './open-calls.ts';

/** An MCP host waits for a minute at most; the chain confirms within seconds. */
const waitSeconds = 20;
/** The treasury asks the seller twice, with ten seconds for each. */
const sellerSeconds = 20;

interface Paying {
  client: AgentClient;
  signal: AbortSignal;
}

export type PayBody = Extract<NonNullable<Input<'pay'>['body']>, { service: unknown }>;
export type FetchBody = NonNullable<Input<'fetch'>['body']>;
/** What does not make it another purchase: what it may cost, and why it is wanted. */
export type Wish = Pick<FetchBody, 'maxAmount' | 'reason'>;
/** What was wished under one key, the last wish first. */
export type Wishes = readonly Wish[];

/**
 * Another reason does not make it another payment.
 * @throws AppError as the treasury refused it
 */
export const payOnce = (
  { client, signal }: Paying,
  open: OpenCalls<Wishes>,
  { reason, ...request }: PayBody,
): Promise<Answer<'pay'>> => {
  const kind = JSON.stringify(request);
  const call = open.take(kind);
  return keeping(open, kind, call, signal, () =>
    asWishedBefore(call, { reason }, (wish) =>
      client.ask('pay', { body: { ...request, ...wish } }, { key: call.key, waitSeconds, signal }),
    ),
  );
};

/**
 * The same request is the same purchase until the seller has delivered, whatever it may cost: who changes `maxAmount`
 * while a payment is under way does not want to pay twice.
 * @throws AppError as the treasury refused it
 */
export const fetchOnce = (
  { client, signal }: Paying,
  open: OpenCalls<Wishes>,
  { maxAmount, reason, ...request }: FetchBody,
): Promise<Answer<'fetch'>> => {
  const kind = JSON.stringify(request);
  const call = open.take(kind);
  const sending = { key: call.key, waitSeconds, sellerSeconds, signal };
  return keeping(open, kind, call, signal, () =>
    asWishedBefore(call, { maxAmount, reason }, (wish) =>
      client.ask('fetch', { body: { ...request, ...wish } }, sending),
    ),
  );
};

/** Where the key was taken with a former wish, the treasury goes on with that one. */
export const asWishedBefore = async <A>(
  call: OpenCall<Wishes>,
  wish: Wish,
  ask: (wish: Wish) => Promise<A>,
): Promise<A> => {
  const isOther = (former: Wish): boolean =>
    former.maxAmount !== wish.maxAmount || former.reason !== wish.reason;
  call.memory = [wish, ...(call.memory ?? []).filter(isOther)];
  let conflict: unknown;
  for (const { maxAmount, reason } of call.memory) {
    try {
      return await ask({
        ...(maxAmount === undefined ? {} : { maxAmount }),
        ...(reason === undefined ? {} : { reason }),
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'idempotency_conflict') throw error;
      conflict = error;
    }
  }
  throw conflict;
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
const mayBePaid = ['locked', 'not_available'];

/** Whether nothing can come of this payment any more. */
const isLastWord = (error: unknown): boolean => {
  if (!(error instanceof AppError)) return false;
  if (unknownEnds.includes(error.code)) return false;
  return !mayBePaid.includes(error.code) || error.details?.['paymentId'] === undefined;
};
