// T1: the one transaction that decides. Is the idempotency key known? Is anything stopped? What does the policy say?
// Then the row, its reservation, the approval that it may need and the key are written together, or nothing is.
import { AppError, invariant } from '../../../errors.ts';
import { formatSol, lamports, type Usdc } from '../../../money.ts';
import { spareLamports } from './balance.ts';
import { addNotice } from '../../notices/add-notice.ts';
import { openApproval } from '../owner/ask-owner.ts';
import { pathAsked } from './charge-path.ts';
import { bodyHash, recall, remember, type Idempotency } from './idempotency.ts';
import { refuseRevoked, refuseWhenDiskLow, refuseWhenStopped, type Context } from '../context.ts';
import type { Consent } from './decide.ts';
import {
  beginCounting,
  countedRefusal,
  thatCounts,
  placeOf,
  refuseTooManyKeys,
  type Place,
} from './folding.ts';
import { judge, type ChainFacts, type Judged } from './judge.ts';
import { noteReservation } from './near-limits.ts';
import { isWatched } from './watch-notes.ts';
import { noteForWatch, watchRequest, type Seen } from './watching.ts';
import type { Watching } from '../../domain/watch.ts';
import type { ChargePath, Intent, Refusal, Remembered, Transfer, TransferKind } from '../../ports.ts';

/** A request that its client can resume: see continuation.ts. */
export interface Wish {
  /** SHA-256, in hex, of caller, route and request. */
  hash: string;
  /** Its number among the equal calls that the client makes at this moment, from 1. */
  nth: number;
  maxAmount: Usdc | null;
  /** Aborted when the caller has its answer or has disconnected. */
  over: AbortSignal;
}

export interface Asker {
  /** The API key that asked; null for the owner. */
  keyId: string | null;
  idempotency: Idempotency | null;
  /** Null when the client did not ask to resume. */
  wish: Wish | null;
}

/** The owner, or the treasury itself. */
export const ownAsker: Asker = { keyId: null, idempotency: null, wish: null };

const prefixOf: Record<TransferKind, string> = {
  payment: 'pay',
  charge: 'chg',
  allocation: 'alc',
  recall: 'rcl',
  withdrawal: 'wdr',
  refund: 'rfd',
  anchor: 'anc',
};

/** The row that answers a request. */
export interface Opened {
  row: Transfer;
  /** False when the row existed: found by its idempotency key, or as the row that counts such refusals. */
  isNew: boolean;
  /** The watch's finding, to be announced after the commit. */
  seen: Seen | null;
  /** The refusal of this request, where the row is that of an earlier one and only counts it. */
  counted: Refusal | null;
}

/**
 * Decides and writes the row: `reserved`, `awaiting_approval` or `denied`. Or finds the row of the idempotency key.
 * @throws AppError `frozen`, `suspended`, `unauthorized` (revoked), `locked`, `halted`, `clock_unsafe`, `disk_low`,
 *   `fees_exhausted`, `too_many_requests`, `idempotency_conflict`: nothing is stored
 */
export const openIntent = (context: Context, intent: Intent, asker: Asker, chainFacts: ChainFacts): Opened =>
  context.store.atomically(() => {
    const known = recall(context, asker.idempotency);
    if (known !== undefined)
      return { row: existing(context, known), isNew: false, seen: null, counted: null };
    const consent = asker.keyId === null ? 'owner' : 'none';
    const decided = decideIntent(context, intent, { ...asker, consent }, chainFacts);
    const { judged, now } = decided;
    const place = placeFor(context, intent, asker, decided);
    if (place.kind === 'counted') {
      invariant(judged.decision.kind === 'deny', 'only refusals are counted');
      const row = count(context, asker, place, now);
      const seen = noteForWatch(context, row, asker.keyId, decided);
      return { row, isNew: false, seen, counted: countedRefusal(judged.decision.refusal) };
    }
    const row = insert(context, intent, asker, {
      ...decided,
      judged: place.kind === 'first' ? thatCounts(judged) : judged,
      rent: chainFacts.rent,
    });
    if (place.kind === 'first') beginCounting(context, row);
    if (judged.grantId !== null) {
      invariant(intent.asset === 'USDC', 'a standing approval is for USDC');
      context.store.grants.draw(judged.grantId, intent.amount);
    }
    if (judged.decision.kind === 'allow') noteReservation(context, row);
    if (judged.decision.kind === 'deny' && asker.keyId !== null)
      addNotice(context, { kind: 'refused', transfer: row });
    if (judged.decision.kind === 'hold') openApproval(context, row, judged.decision, asker.keyId);
    remember(context, asker.idempotency, { transferId: row.id, approvalId: row.approvalId });
    return { row, isNew: true, seen: noteForWatch(context, row, asker.keyId, decided), counted: null };
  });

interface Decided {
  judged: Judged;
  path: ChargePath;
  /** Lamports. */
  fee: bigint;
  now: number;
  /** Null for the owner's own requests. */
  watching: Watching | null;
}

/**
 * The decision of T1. It writes nothing, so that a dry run makes the same one.
 * @throws AppError `frozen`, `suspended`, `unauthorized` (revoked), `locked`, `halted`, `clock_unsafe`, `disk_low`,
 *   `fees_exhausted`
 */
export const decideIntent = (
  context: Context,
  intent: Intent,
  { keyId, consent }: Pick<Asker, 'keyId'> & { consent: Consent },
  chainFacts: ChainFacts,
): Decided => {
  refuseWhenStopped(context, intent);
  refuseRevoked(context, keyId);
  refuseWhenDiskLow(context, intent);
  const now = context.time.now();
  const fee = context.chain.feeLamports(intent);
  refuseWithoutFees(context, { fee, rent: chainFacts.rent }, chainFacts.treasuryLamports);
  const path = pathAsked(context, intent, keyId);
  const watching = consent === 'none' && isWatched(intent) ? watchRequest(context, intent, now) : null;
  const judged = judge(context, intent, { ...chainFacts, fee }, { now, consent, path, watching });
  return { judged, path, fee, now, watching };
};

const insert = (
  { store, newId }: Context,
  intent: Intent,
  { keyId }: Asker,
  { judged, path, fee, rent, now }: Decided & { rent: bigint },
): Transfer => {
  const { decision, policyVersion, grantId } = judged;
  return store.transfers.insert({
    ...intent,
    ...path,
    id: newId(prefixOf[intent.kind]),
    state: stateOf[decision.kind],
    refusal: decision.kind === 'deny' ? decision.refusal : null,
    keyId,
    policyVersion,
    approvalId: decision.kind === 'hold' ? newId('apr') : null,
    grantId,
    feeLamports: fee,
    rentLamports: rent,
    createdAt: now,
    reservedAt: decision.kind === 'allow' ? now : null,
    purchase: intent.purchase ?? null,
  });
};

const stateOf = { allow: 'reserved', hold: 'awaiting_approval', deny: 'denied' } as const;

/** Each of the owner's requests has a row of its own, whatever the decision. */
const placeFor = (
  context: Context,
  { agentId }: Intent,
  { keyId, idempotency }: Asker,
  { judged: { decision }, path, now }: Decided,
): Place => {
  if (decision.kind !== 'deny' || keyId === null || agentId === null) return { kind: 'full' };
  if (idempotency !== null) refuseTooManyKeys(context, agentId);
  return placeOf(context, { agentId, keyPath: path.keyPath }, decision.refusal, now);
};

const count = (
  { store }: Context,
  { idempotency }: Asker,
  { transferId }: Extract<Place, { kind: 'counted' }>,
  now: number,
): Transfer => {
  const row = store.transfers.get(transferId);
  invariant(row !== undefined && row.agentId !== null, 'a row that counts is an agent’s');
  store.refusals.count(transferId, now);
  if (idempotency !== null) {
    const { scope, key, route, body } = idempotency;
    store.refusals.keep(row.agentId, { scope, key, route, bodyHash: bodyHash(body), transferId });
  }
  return row;
};

const existing = ({ store }: Context, known: Remembered): Transfer => {
  const transfer = known.transferId === null ? undefined : store.transfers.get(known.transferId);
  invariant(transfer !== undefined, 'a remembered key of this route names its transfer');
  return transfer;
};

/** @param needed in lamports, as `held` is */
const refuseWithoutFees = (
  context: Context,
  { fee, rent }: { fee: bigint; rent: bigint },
  held: bigint,
): void => {
  const needed = fee + rent;
  const spare = spareLamports(context, held);
  if (needed === 0n || spare >= needed) return;
  const forWhat = rent === 0n ? '' : ` and ${sol(rent)} to open the recipient’s USDC account`;
  throw new AppError(
    'fees_exhausted',
    `The treasury has ${sol(spare)} for fees, and this needs ${sol(fee)} for the network fee${forWhat}. Nothing was moved. Its owner has to send at least ${sol(needed - spare)} to ${context.settings.owner}.`,
    { spare: spare.toString(), fee: fee.toString(), rent: rent.toString(), unit: 'lamports' },
  );
};

const sol = (units: bigint): string => `${formatSol(lamports(units > 0n ? units : 0n))} SOL`;
