// Refusals beyond a burst: one row counts the repeated refusals of a principal for one reason, so that an agent cannot
// fill the disk, however many keys it delegates. Each refusal is reported as it was decided; only its row is another's.
// Allowed payments are never slowed, and a refused idempotency key stays refused for ever.
import { AppError } from '../../../errors.ts';
import { createBurst } from './burst.ts';
import type { Context } from '../context.ts';
import type { Refusal, Transfer } from '../../ports.ts';
import type { Judged } from './judge.ts';

/** In each minute, this many refusals of an agent and of its delegated keys together get a row of their own. */
const refusalsInFull = 60;
/** In each minute, this many of its rows begin to count. */
const rowsBegun = 60;
/** A row counts for this long; then another begins, so that the owner sees when the refusals were. */
const rowCountsMs = 10 * 60_000;
/** Reasons that are remembered. */
const mostReasons = 10_000;
/** 256 MiB of refused idempotency keys, at 160 bytes on disk for each. */
const mostKeys = Math.floor((256 * 1024 * 1024) / 160);

/** Where a refusal goes: a row of its own, a row of its own that counts from now on, or an existing row that counts. */
export type Place = { kind: 'full' } | { kind: 'first' } | { kind: 'counted'; transferId: string };

export const createFolding = (): Context['folding'] => ({
  inFull: createBurst(refusalsInFull),
  begun: createBurst(rowsBegun),
  counting: new Map(),
});

/**
 * @param now Unix milliseconds
 * @throws AppError `too_many_requests` when the refusals of the agent's keys have too many reasons to count them
 */
export const placeOf = (
  { store, folding }: Pick<Context, 'store' | 'folding'>,
  { agentId, keyPath }: Principal,
  refusal: Refusal,
  now: number,
): Place => {
  if (folding.inFull.admit(agentId, now)) return { kind: 'full' };
  const counting = folding.counting.get(reasonOf(principalOf(agentId, keyPath), refusal));
  const stillCounts =
    counting !== undefined &&
    now - counting.since < rowCountsMs &&
    // Its transaction may have been rolled back.
    store.transfers.state(counting.transferId) === 'denied';
  if (stillCounts) return { kind: 'counted', transferId: counting.transferId };
  if (folding.begun.admit(agentId, now)) return { kind: 'first' };
  throw new AppError(
    'too_many_requests',
    'The requests of this agent and its delegated keys are refused too often, and for too many reasons, to record each one. Nothing was paid. Try again in a minute.',
    { retryAfterSeconds: 60 },
  );
};

/** From now on this row counts. */
export const beginCounting = ({ folding }: Pick<Context, 'folding'>, row: Transfer): void => {
  if (row.agentId === null || row.refusal === null) return;
  const { id: transferId, createdAt: since } = row;
  if (folding.counting.size >= mostReasons) folding.counting.clear();
  folding.counting.set(reasonOf(principalOf(row.agentId, row.keyPath), row.refusal), { transferId, since });
};

interface Principal {
  agentId: string;
  keyPath: readonly string[];
}

/** Refusals of a delegated key are counted apart: it may not see those of its siblings. */
export const principalOf = (agentId: string, keyPath: readonly string[]): string => keyPath.at(-1) ?? agentId;

/** The same rule at the same node. */
const reasonOf = (principal: string, { code, details: { node } }: Refusal): string =>
  `${principal} ${code} ${JSON.stringify(node ?? null)}`;

/** The refusal of a row that counts, and of each request that it counts. */
export const countedRefusal = (refusal: Refusal): Refusal => ({
  ...refusal,
  message: `${refusal.message} This agent is refused more than ${refusalsInFull} times a minute: further refusals for this reason are only counted.`,
  details: { ...refusal.details, counted: true },
});

/** Whether one row stands for many refusals. */
export const isCounting = ({ refusal }: Pick<Transfer, 'refusal'>): boolean =>
  refusal?.details['counted'] === true;

/** A denial that counts from now on, and any other decision as it is. */
export const thatCounts = (judged: Judged): Judged => {
  const { decision } = judged;
  return decision.kind === 'deny'
    ? { ...judged, decision: { kind: 'deny', refusal: countedRefusal(decision.refusal) } }
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
