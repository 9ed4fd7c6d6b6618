// Refusals beyond a burst: an agent that is refused again and again for one reason gets one row that counts, so that it
// cannot fill the disk. What can be paid is never slowed, and a key that was refused stays refused for ever.
import { AppError } from '../../errors.ts';
import type { Burst } from './burst.ts';
import type { Context } from './context.ts';
import type { Refusal, Transfer } from '../ports.ts';

/** So many refusals of an agent in a minute have a row each. */
export const refusalsInFull = 60;
/** Then a row counts for so long, so that the owner sees when it was. */
const rowCountsMs = 10 * 60_000;
/** 256 MiB of keys that were refused, at what a row of them takes on disk. */
const mostKeys = Math.floor((256 * 1024 * 1024) / 160);

export interface Folding {
  burst: Burst;
  /** Rows that count, by agent and code. Lost with the process: then a new row begins to count. */
  counting: Map<string, { transferId: string; since: number }>;
}

/** Where a refusal goes: into a row of its own, into one that others are counted in from now on, or into such a row. */
export type Place = { kind: 'full' } | { kind: 'first' } | { kind: 'counted'; transferId: string };

/** @param now Unix milliseconds */
export const placeOf = (
  { store, folding }: Pick<Context, 'store' | 'folding'>,
  agentId: string,
  { code }: Refusal,
  now: number,
): Place => {
  if (folding.burst.admit(agentId, now)) return { kind: 'full' };
  const counting = folding.counting.get(nameOf(agentId, code));
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
  folding.counting.set(nameOf(row.agentId, row.refusal.code), { transferId, since });
};

const nameOf = (agentId: string, code: string): string => `${agentId} ${code}`;

/** What the row that counts tells, and with it each refusal that it stands for. */
export const countingRefusal = (refusal: Refusal): Refusal => ({
  ...refusal,
  message: `${refusal.message} This agent is refused more than ${refusalsInFull} times a minute: further refusals for this reason are only counted.`,
  details: { ...refusal.details, counted: true },
});

/** @throws AppError `too_many_requests` when the agent’s refused keys take all the room that they may */
export const refuseTooManyKeys = ({ store }: Pick<Context, 'store'>, agentId: string): void => {
  if (store.refusals.keysOf(agentId) < mostKeys) return;
  throw new AppError(
    'too_many_requests',
    'Too many refused requests of this agent came with new Idempotency-Keys. Send only what the policy allows, or leave out the Idempotency-Key.',
  );
};
