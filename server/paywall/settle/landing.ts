// What becomes of a payment that was begun: sent until the chain shows it, and ended by what the chain shows, or by the proof
// that it can no longer land.
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import type { Settled } from '../facilitator.ts';
import type { Terms } from '../ledger.ts';
import { canNoLongerLand } from '../refund.ts';
import type { TransactionReader } from '../transaction-reader.ts';
import type { Settling, SettlingEnd, SettlingStore } from '../types.ts';

export interface LandingDeps {
  terms: Pick<Terms, 'network'>;
  reader: TransactionReader;
  store: SettlingStore;
  warn: (error: unknown, message: string) => void;
}

const seenWithinMs = 60_000;
/** How long to look for a transaction that the RPC did not take. */
const refusedWithinMs = 2_000;
const lookAgainMs = 15_000;

/** Looks at open payments of this network until there are none. */
export const createWatch = (deps: LandingDeps) => {
  let isWaiting = false;
  const look = async (): Promise<void> => {
    const open = (await deps.store.openSettlings()).filter(({ network }) => network === deps.terms.network);
    for (const settling of open) {
      const end = await ended(deps, settling, true).catch((error: unknown) => {
        deps.warn(error, 'a payment that was begun cannot be looked up');
        return null;
      });
      if (end === null) later();
    }
  };
  const start = (): void =>
    void look().catch((error: unknown) => deps.warn(error, 'payments that were begun cannot be read'));
  const later = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      start();
    }, lookAgainMs).unref();
  };
  return { look: start, later };
};

/** Sends what was begun until the chain shows it; null when it does not yet. */
export const finish = async (deps: LandingDeps, settling: Settling): Promise<Settled | null> => {
  const { state, txSignature } = settling;
  const end = state === 'open' ? await sent(deps, settling) : state;
  if (end === 'landed') return { txSignature };
  return end === null ? null : { refused: end === 'failed' ? 'failed on the chain' : 'expired' };
};

const sent = async (deps: LandingDeps, settling: Settling): Promise<SettlingEnd | null> => {
  // The preflight checks the signatures, and the balances once more. An error may be the answer's loss alone.
  const config = { encoding: 'base64', preflightCommitment: 'processed' };
  const send = () =>
    deps.reader.call('sendTransaction', [settling.wire, config]).then(() => true, isUnanswered);
  const deadline = performance.now() + ((await send()) ? seenWithinMs : refusedWithinMs);
  for (let pauseMs = 50; ; pauseMs = Math.min(2 * pauseMs, 1_600)) {
    const isLast = performance.now() + pauseMs > deadline;
    const end = await ended(deps, settling, isLast);
    if (end !== null || isLast) return end;
    await wait(pauseMs);
    // The same bytes land once, however often they are sent.
    if (pauseMs === 1_600) await send();
  }
};

/** An RPC that answers with an error has not taken the transaction. */
const isUnanswered = (error: unknown): boolean =>
  !(error instanceof AppError && error.cause instanceof Error && /\(-3\d+\)$/.test(error.cause.message));

/** How an open payment has ended, which is kept; null while it may still land. `proves`: expiry is looked for, too. */
export const ended = async (
  { reader, store }: LandingDeps,
  settling: Settling,
  proves: boolean,
): Promise<SettlingEnd | null> => {
  const { message, txSignature, lastValidBlockHeight } = settling;
  const standing = { refundSignature: txSignature, lastValidBlockHeight };
  let found = await reader.read(txSignature, 'confirmed');
  if (found === null && proves && (await canNoLongerLand({ reader }, standing))) {
    found = await reader.read(txSignature, 'confirmed');
    if (found === null) {
      await store.endSettling(message, 'expired', 0);
      return 'expired';
    }
  }
  // What failed in a block that is dropped may land in another.
  if (found !== null && found.meta.err !== null) found = await reader.read(txSignature, 'finalized');
  if (found === null) return null;
  const end = found.meta.err === null ? 'landed' : 'failed';
  await store.endSettling(message, end, found.meta.fee ?? settling.lamports);
  return end;
};
