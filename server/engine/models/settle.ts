// The end of a request to a language model: its amount replaces its bound, or it is released.
import { usdc, type Usdc } from '../../money.ts';
import type { Sums } from '../limits/path.ts';
import type { Context } from '../payment/context.ts';
import { noteModelRequest } from '../payment/decision/near-limits.ts';
import { agentMemoryOf } from '../payment/decision/watch-notes.ts';
import { noteSpending } from '../watch/memory.ts';
import type { ModelRequest, ModelRequestEnd, Refusal } from '../ports.ts';

type Settling = Pick<Context, 'store' | 'time'> & Sums;

/**
 * Ends a held request, once. Its commit may come later: what a power cut loses of it leaves more counted, never less.
 * @param isLate it was spent before this run, and tells the watch nothing about the agent’s pace now
 * @returns null when it had ended before
 */
export const endRequest = (
  context: Settling,
  id: string,
  end: ModelRequestEnd,
  { isLate = false } = {},
): ModelRequest | null => {
  const { store, time } = context;
  return store.lazily(() => {
    const ended = store.modelRequests.end(id, end, time.now());
    if (ended === null) return null;
    giveBack(context, ended);
    noteModelRequest(context, ended);
    if (!isLate) noteForWatch(context, ended);
    return ended;
  });
};

/** The watch, and the forecast that reads the same memory, count what a request came to. */
const noteForWatch = ({ store, time }: Settling, { agentId, amount }: ModelRequest): void => {
  if (amount === null || amount === 0n) return;
  const memory = agentMemoryOf(store, agentId);
  const now = time.now();
  noteSpending(memory, { now, amount: Number(amount) });
  store.watch.keepAgent(agentId, memory, now);
};

/** A standing approval is drawn on by what the request came to, as far as it goes. */
const giveBack = ({ store }: Settling, { grantId, bound, amount }: ModelRequest): void => {
  const grant = grantId === null ? undefined : store.grants.get(grantId);
  if (grant === undefined || grant.revokedAt !== null) return;
  const [change, left] = [(amount ?? 0n) - bound, grant.upTo - grant.used];
  if (change !== 0n) store.grants.draw(grant.id, (change < left ? change : left) as Usdc);
};

/**
 * Settles the requests that the last run left held, at their bounds: nothing says what became of them, and each may have
 * been answered. They count since their reservations, so that they leave the windows like all others.
 */
export const settleLeftOpen = (context: Settling): void => {
  const { store } = context;
  store.atomically(() => {
    for (const { id, bound } of store.modelRequests.held())
      endRequest(context, id, { state: 'settled', amount: bound, mark: 'unknown' }, { isLate: true });
  });
};

/** Enters what it came to in truth, as a further row at its time. Call it in a transaction. */
export const correctRequest = (
  { store, time, newId }: Pick<Context, 'store' | 'time' | 'newId'>,
  request: ModelRequest,
  amount: Usdc,
): void => {
  const corrects = request.id;
  const earlier = store.modelRequests.corrections().filter((one) => one.corrects === corrects);
  const change = [request, ...earlier].reduce<bigint>((left, one) => left - (one.amount ?? 0n), amount);
  const id = newId('mod');
  const terms = { ...request, id, bound: usdc(0n), prices: {}, grantId: null, corrects };
  store.modelRequests.insert({ ...terms, idempotencyKey: null }, null, time.now());
  const mark = request.mark ?? 'exact';
  store.modelRequests.end(id, { state: 'settled', amount: usdc(change), mark }, time.now());
};

/** Of a request that never left. */
export const neverLeft = (message: string): Refusal => ({ code: 'not_available', message, details: {} });
