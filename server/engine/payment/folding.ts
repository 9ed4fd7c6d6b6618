// Refusals beyond a burst: one row counts the repeated refusals of an agent for one reason, so that the agent cannot
// fill the disk. Allowed payments are never slowed, and a refused idempotency key stays refused for ever.
import { AppError } from '../../errors.ts';
import type { Context } from './context.ts';
import type { Refusal, Transfer } from '../ports.ts';
import type { Judged } from './judge.ts';

/** In each minute, this many refusals of an agent get a row of their own. */
export const refusalsInFull = 60;
/** A row counts for this long; then another begins, so that the owner sees when the refusals were. */
const rowCountsMs = 10 * 60_000;
/** 256 MiB of refused idempotency keys, at 160 bytes on disk for each. */
const mostKeys = Math.floor((256 * 1024 * 1024) / 160);

/** Where a refusal goes: a row of its own, a row of its own that counts from now on, or an existing row that counts. */
export type Place = { kind: 'full' } | { kind: 'first' } | { kind: 'counted'; transferId: string };

/** @param principal the agent, or the delegated key that asks. @param now Unix milliseconds */
export const placeOf = (
  { store, folding }: Pick<Context, 'store' | 'folding'>,
  principal: string,
  { code }: Refusal,
  now: number,
): Place => {
  if (folding.burst.admit(principal, now)) return { kind: 'full' };
  const counting = folding.counting.get(nameOf(principal, code));
  const isCounting =
    counting !== undefined &&
    now - counting.since < rowCountsMs &&
    // Its transaction may have been rolled back.
    store.transfers.state(counting.transferId) === 'denied';
  return isCounting ? { kind: 'counted', transferId: counting.transferId } : { kind: 'first' };
};

/** From now on this row counts. */
export const beginCounting = ({ folding }: Pick<Context, 'folding'>, row: Transfer): void => {
  if (row.agentId === null || row.refusal === null) return;
  const { id: transferId, createdAt: since } = row;
  folding.counting.set(nameOf(principalOf(row.agentId, row.keyPath), row.refusal.code), {
    transferId,
    since,
  });
};

/** Refusals of a delegated key are counted apart: it may not see those of its siblings. */
export const principalOf = (agentId: string, keyPath: readonly string[]): string => keyPath.at(-1) ?? agentId;

const nameOf = (principal: string, code: string): string => `${principal} ${code}`;

/** The refusal of a row that counts, and so of every request that it counts. */
const countingRefusal = (refusal: Refusal): Refusal => ({
  ...refusal,
  message: `${refusal.message} This agent is refused more than ${refusalsInFull} times a minute: further refusals for this reason are only counted.`,
  details: { ...refusal.details, counted: true },
});

/** A denial that counts from now on, and any other decision as it is. */
export const thatCounts = (judged: Judged): Judged => {
  const { decision } = judged;
  return decision.kind === 'deny'
    ? { ...judged, decision: { kind: 'deny', refusal: countingRefusal(decision.refusal) } }
    : judged;
};

/** @throws AppError `too_many_requests` when the agent’s refused idempotency keys have used up their room */
export const refuseTooManyKeys = ({ store }: Pick<Context, 'store'>, agentId: string): void => {
  if (store.refusals.keysOf(agentId) < mostKeys) return;
  throw new AppError(
    'too_many_requests',
    'Too many refused requests of this agent came with new Idempotency-Keys. Send only what the policy allows, or leave out the Idempotency-Key.',
  );
};
