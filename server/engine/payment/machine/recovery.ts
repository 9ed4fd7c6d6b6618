// Recovery, at start and on a timer: looks every open transfer up on the chain, sends the same bytes again, and proves
// the end of those that failed or can no longer land. It decides nothing: machine.ts does.
import type { Machine } from './machine.ts';
import { endDueApprovals } from '../owner/approval.ts';
import type { Context } from '../context.ts';
import { explainedBy } from '../decision/explained.ts';
import type { ViaFacilitator } from './via-facilitator.ts';
import type { EndProof, Sighting, Transfer } from '../../ports.ts';
import { interrupted } from '../decision/refusals.ts';
import { repeat } from '../../../lib/repeat.ts';
import { hasUnknownSignature, txSignatureOf } from './tx-signature.ts';

const lookUpAtOnce = 256;
const enterAtOnce = 32;
const sendAtOnce = 32;
/** Each expiry is a commit of its own. */
const expireAtOnce = 8;
/** The pause between proofs, as a multiple of the time that the last ones took. */
const restAfterProofs = 10;
const tellOwnerAfterMs = 10 * 60_000;

export interface Recovery {
  /** Checks every open row once. `starting`: this process has no row in hand yet. Never rejects. */
  look(starting?: boolean): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

interface Recovering {
  context: Context;
  machine: Machine;
  viaFacilitator: ViaFacilitator;
  /** When each row was last sent, and when a proof of its end was last tried: Unix milliseconds, by id. */
  lastSent: Map<string, number>;
  lastProof: Map<string, number>;
  lastProofsMs: number;
  /** Rows of which the owner was warned. */
  warned: Set<string>;
}

export const createRecovery = (
  context: Context,
  machine: Machine,
  viaFacilitator: ViaFacilitator,
): Recovery => {
  const recovering: Recovering = {
    context,
    machine,
    viaFacilitator,
    lastSent: new Map(),
    lastProof: new Map(),
    lastProofsMs: 0,
    warned: new Set(),
  };
  const failed = (error: unknown): void =>
    context.log.warn({ err: error }, 'open payments could not be looked up now; they stay reserved');
  return {
    look: (starting = false) => look(recovering, starting).catch(failed),
    ...repeat(() => look(recovering, false), context.settings.pollMs, failed),
  };
};

const look = async (recovering: Recovering, starting: boolean): Promise<void> => {
  const { context, machine } = recovering;
  const { store } = context;
  endDueApprovals(context);
  // This commits pending work first: every signature that is looked up is on disk.
  const open = store.atomically(() => store.transfers.open());
  for (const row of open) if (row.state === 'reserved') cancelIfStale(recovering, row, starting);
  const toSend = open.filter((row) => row.state === 'signed' && !machine.busy(row.id));
  for (let from = 0; from < toSend.length; from += sendAtOnce)
    await Promise.all(toSend.slice(from, from + sendAtOnce).map(({ id }) => machine.advance(id)));
  const signed = open.filter((row) => row.signed !== null);
  forget(recovering, new Set(signed.map((row) => row.id)));
  const named = signed.filter((row) => !hasUnknownSignature(row));
  const ending: Transfer[] = [];
  for (let from = 0; from < named.length; from += lookUpAtOnce) {
    ending.push(...(await lookUp(recovering, named.slice(from, from + lookUpAtOnce))));
  }
  // A start does not wait for proofs: until there is one the money stays reserved, and nothing depends on it.
  if (!starting) await prove(recovering, ending);
  const lost = await findUnknownSignatures(recovering, signed.filter(hasUnknownSignature));
  if (!starting) await prove(recovering, lost);
};

const cancelIfStale = ({ context, machine }: Recovering, row: Transfer, starting: boolean): void => {
  const { time, settings } = context;
  const age = time.now() - (row.reservedAt ?? 0);
  if (starting || (age > settings.reservationMs && !machine.busy(row.id)))
    machine.cancel(row.id, interrupted);
};

/** Returns the rows whose end is to be proved: the chain refused them, or they are unknown and can no longer land. */
const lookUp = async (recovering: Recovering, rows: readonly Transfer[]): Promise<Transfer[]> => {
  const { context, machine } = recovering;
  const { slot, found } = await context.chain.sightings(rows.map((row) => txSignatureOf(row) ?? ''));
  const missing: Transfer[] = [];
  const failed: Transfer[] = [];
  for (const [index, row] of rows.entries()) {
    const sighting = found[index] ?? null;
    if (sighting === null) missing.push(row);
    else if (isFailure(sighting)) failed.push(row);
    else if (isNews(row, sighting)) await machine.observe(row.id, sighting);
    // A long batch must not hold up current payments.
    if (index % enterAtOnce === enterAtOnce - 1) await aTurn();
  }
  return [...failed, ...(await pursue(recovering, missing, slot))];
};

const findUnknownSignatures = async (
  recovering: Recovering,
  rows: readonly Transfer[],
): Promise<Transfer[]> =>
  rows.length === 0 ? [] : pursue(recovering, await recovering.viaFacilitator.find(rows), 0);

/** Resends or takes back rows that the RPC does not know. Returns those that can no longer land. */
const pursue = async (
  { context, machine, lastSent }: Recovering,
  rows: readonly Transfer[],
  slot: number,
): Promise<Transfer[]> => {
  if (rows.length === 0) return [];
  const finalizedHeight = await context.chain.finalizedHeight();
  return rows.filter((row) => {
    if (row.signed === null) return false;
    if (row.state === 'seen') {
      if (slot >= (row.seenSlot ?? 0)) machine.fallBack(row.id);
      return false;
    }
    if (finalizedHeight > row.signed.lifetime.lastValidHeight) return true;
    if (row.state === 'sent' && isDue(lastSent, row.id, context.settings.resendMs)) machine.resend(row);
    return false;
  });
};

/** Proves, in one batch, that these have ended: the chain refused them, or no block can include them any more. */
const prove = async (recovering: Recovering, ending: readonly Transfer[]): Promise<void> => {
  const { context, lastProof } = recovering;
  const { store, chain, settings } = context;
  const everyMs = Math.max(settings.resendMs, restAfterProofs * recovering.lastProofsMs);
  const due = ending.filter((row) => isDue(lastProof, row.id, everyMs));
  if (due.length === 0) return;
  const began = performance.now();
  const proofs = await chain.proveEnded(due, explainedBy(store));
  recovering.lastProofsMs = performance.now() - began;
  for (const [index, row] of due.entries()) {
    const proof = proofs[index];
    if (proof !== undefined) conclude(recovering, row, proof);
    if (index % expireAtOnce === expireAtOnce - 1) await aTurn();
  }
};

const conclude = (recovering: Recovering, row: Transfer, proof: EndProof): void => {
  recovering.machine.applyProof(row.id, proof);
  if (!proof.dead) tellOwner(recovering, row, proof.why);
};

const tellOwner = ({ context, warned }: Recovering, row: Transfer, why: string): void => {
  const { time, publish } = context;
  if (warned.has(row.id) || time.now() - (row.signed?.at ?? 0) < tellOwnerAfterMs) return;
  warned.add(row.id);
  const message = `The outcome of payment ${row.id} is not known yet (${why}). Its money stays reserved.`;
  publish({ type: 'warning', code: 'unknown', message });
};

const forget = ({ lastSent, lastProof, warned }: Recovering, open: ReadonlySet<string>): void => {
  for (const map of [lastSent, lastProof]) for (const id of map.keys()) if (!open.has(id)) map.delete(id);
  for (const id of warned) if (!open.has(id)) warned.delete(id);
};

const aTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const isNews = (row: Transfer, sighting: Sighting): boolean =>
  sighting.commitment === 'finalized' || (sighting.commitment === 'confirmed' && row.state !== 'seen');

const isFailure = ({ error, commitment }: Sighting): boolean => error !== null && commitment === 'finalized';

const isDue = (last: Map<string, number>, id: string, everyMs: number): boolean => {
  const now = Date.now();
  if (now - (last.get(id) ?? 0) < everyMs) return false;
  last.set(id, now);
  return true;
};
