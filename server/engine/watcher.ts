// Recovery, at start and on a timer: looks up what became of every open transfer, sends the same bytes again, and
// proves dead what can no longer land. It decides nothing: payment.ts does.
import type { Machine } from './payment.ts';
import { expireApprovals } from './approval.ts';
import type { Context } from './context.ts';
import { isOurs } from './funds.ts';
import { isNameless, type HandedOver } from './purchases/handed-over.ts';
import type { Sighting, Transfer } from './ports.ts';
import { interrupted } from './refusals.ts';
import { repeat } from './repeat.ts';
import { txSignatureOf } from './tx-signature.ts';

const lookUpAtOnce = 256;
const enterAtOnce = 32;
const tellOwnerAfterMs = 10 * 60_000;

export interface Watcher {
  /** Looks at every open row once. `starting`: nothing of this process is in hand yet. Never rejects. */
  look(starting?: boolean): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export const createWatcher = (context: Context, machine: Machine, handedOver: HandedOver): Watcher => {
  const { store, chain, time, settings, log, publish } = context;
  const lastSent = new Map<string, number>();
  const lastProof = new Map<string, number>();
  const told = new Set<string>();

  const look = async (starting = false): Promise<void> => {
    try {
      expireApprovals(context);
      // What waits for its commit is committed first: no signature is asked about that is not on disk.
      const open = store.atomically(() => store.transfers.open());
      for (const row of open) if (row.state === 'reserved') cancelIfStale(row, starting);
      for (const row of open)
        if (row.state === 'signed' && !machine.busy(row.id)) await machine.advance(row.id);
      const signed = open.filter((row) => row.signed !== null);
      forget(new Set(signed.map((row) => row.id)));
      const named = signed.filter((row) => !isNameless(row));
      for (let from = 0; from < named.length; from += lookUpAtOnce) {
        await lookUp(named.slice(from, from + lookUpAtOnce));
      }
      await findNameless(signed.filter(isNameless));
    } catch (error) {
      log.warn({ err: error }, 'open payments could not be looked up now; they stay reserved');
    }
  };

  const cancelIfStale = (row: Transfer, starting: boolean): void => {
    const age = time.now() - (row.reservedAt ?? 0);
    if (starting || (age > settings.reservationMs && !machine.busy(row.id)))
      machine.cancel(row.id, interrupted);
  };

  const lookUp = async (rows: readonly Transfer[]): Promise<void> => {
    const { slot, found } = await chain.sightings(rows.map((row) => txSignatureOf(row) ?? ''));
    const missing: Transfer[] = [];
    for (const [index, row] of rows.entries()) {
      const sighting = found[index] ?? null;
      if (sighting === null) missing.push(row);
      else if (isNews(row, sighting)) await machine.observe(row.id, sighting);
      // A long batch must not hold up the payments of the moment.
      if (index % enterAtOnce === enterAtOnce - 1) await new Promise((resolve) => setImmediate(resolve));
    }
    if (missing.length === 0) return;
    const height = await chain.finalizedHeight();
    for (const row of missing) await pursue(row, slot, height);
  };

  const findNameless = async (rows: readonly Transfer[]): Promise<void> => {
    if (rows.length === 0) return;
    const height = await chain.finalizedHeight();
    for (const row of await handedOver.find(rows)) await pursue(row, 0, height);
  };

  /** The RPC does not know the signature. */
  const pursue = async (row: Transfer, slot: number, finalizedHeight: number): Promise<void> => {
    if (row.signed === null) return;
    if (row.state === 'seen') {
      if (slot >= (row.seenSlot ?? 0)) machine.fallBack(row.id);
      return;
    }
    if (finalizedHeight <= row.signed.lifetime.lastValidHeight) {
      if (row.state === 'sent' && isDue(lastSent, row.id, settings.resendMs)) machine.resend(row);
      return;
    }
    if (!isDue(lastProof, row.id, settings.resendMs)) return;
    const death = await chain.proveDeath(row, (move) => isOurs(store, move));
    if (!death.dead && death.seen !== undefined) await machine.observe(row.id, death.seen);
    else machine.bury(row.id, death);
    if (!death.dead) tellOwner(row, death.why);
  };

  const tellOwner = (row: Transfer, why: string): void => {
    if (told.has(row.id) || time.now() - (row.signed?.at ?? 0) < tellOwnerAfterMs) return;
    told.add(row.id);
    const message = `What became of payment ${row.id} cannot be established (${why}). Its money stays reserved.`;
    publish({ type: 'warning', code: 'unknown', message });
  };

  const forget = (open: ReadonlySet<string>): void => {
    for (const map of [lastSent, lastProof]) for (const id of map.keys()) if (!open.has(id)) map.delete(id);
    for (const id of told) if (!open.has(id)) told.delete(id);
  };

  return {
    look,
    ...repeat(() => look(), settings.pollMs),
  };
};

const isNews = (row: Transfer, sighting: Sighting): boolean =>
  sighting.commitment === 'finalized' || (sighting.commitment === 'confirmed' && row.state !== 'seen');

const isDue = (last: Map<string, number>, id: string, everyMs: number): boolean => {
  const now = Date.now();
  if (now - (last.get(id) ?? 0) < everyMs) return false;
  last.set(id, now);
  return true;
};
