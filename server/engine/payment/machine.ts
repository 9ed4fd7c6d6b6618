// The life of money in this treasury. Read this file first.
//
// A transfer is any movement of money that we sign. It is one row of `transfer`, and the steps T1 to T5 take it from
// state to state. Each step is atomic; between two steps the process may die at any instruction. Steps in one turn of
// the event loop share one synced commit (`store.grouped`), and nothing of T1 or T2 leaves the process before that
// commit is on disk. T3 to T5 record facts that can be read from the chain again, so they join the next commit
// (`store.lazily`).
//
//   T1  intent.ts   nothing -> reserved | awaiting_approval | denied   one decision; reserved money counts as spent
//   T2  sign        reserved -> signed      bytes, signature and expiry are on disk before a byte leaves
//   T3  send        signed -> sent          the bytes are sent, and sent again until seen or expired
//   T4  see         sent -> seen            confirmed without error: the receipt is written, the caller gets its answer
//   T5  end         seen -> final           finalized: the ledger is posted
//
// After a crash               the disk says   and recovery (recovery.ts)
//   before T1 commits         nothing         does nothing: a retry with the same idempotency key is the first try
//   T1 .. before T2 commits   reserved        cancels it: no byte ever left; its idempotency key is used up
//   T2 .. before T3 commits   signed          sends those bytes (never after a stop), and proves expiry if none land
//   T3 .. before T4 commits   sent            looks the signature up; sends the same bytes until they expire
//   T4 .. before T5 commits   seen            waits for finality; a fork takes it back to `sent`
//   T5                        final           does nothing: a replay gets the stored answer
//
// Invariants, each with its own test (test/engine/invariant-N.test.ts):
//   1 One idempotency key, one decision, stored together in T1. A replay gets the same payment; another body under the
//     key is refused.
//   2 Journal before wire: no byte made with a signing key leaves before T2 has committed.
//   3 One live signature per payment: sending again means the same bytes. After `dead`, a new payment needs a new
//     idempotency key.
//   4 At any decision, open rows, however old, and final rows of the last 86,400 s never exceed the daily budget.
//   5 Final is final: states move along the table in domain/states.ts, by compare-and-set.
//   6 A reservation is released only by denial, by cancelling a row that was never signed, by failure at `finalized`,
//     or by proof of expiry; never by a timeout or a send error.
//   7 Ledger entries sum to zero, and every debit of a managed wallet maps to exactly one row.
//   8 After a freeze or suspension commits, nothing that it binds is reserved, signed or sent for the first time.
import { AppError, invariant, unreachable } from '../../errors.ts';
import { refuseRevoked, refuseWhenUnable, stopFor, type Context } from './context.ts';
import { judgeAgain } from './judge.ts';
import { isViaFacilitator, foundSignature, unseenOf } from './tx-signature.ts';
import {
  chainUnreachable,
  interrupted,
  noLongerCovered,
  notSigned,
  paymentFailed,
  refusalFrom,
} from './refusals.ts';
import type {
  ExpiryProof,
  Lifetime,
  Refusal,
  Sighting,
  Transfer,
  TransferChange,
  TransferState,
} from '../ports.ts';
import { isOpen, mayGo } from '../domain/states.ts';

export interface Machine {
  /** Takes a row as far as it goes without waiting for the chain, then resolves. Never rejects. */
  advance(id: string): Promise<void>;
  /** Records what the chain shows of the row's transaction, and its signature if that was unknown. */
  observe(id: string, sighting: Sighting, txSignature?: string): Promise<void>;
  /**
   * T3 of a transaction that a facilitator submits. Call it in the turn of the event loop in which the signed bytes
   * leave, the first time and every later time. @throws AppError when they may not leave
   */
  submitViaFacilitator(id: string): void;
  /** Takes a row back to `sent`: the chain no longer shows the transaction that it showed at `confirmed`. */
  fallBack(id: string): void;
  /** Ends a row if the proof shows its expiry; otherwise keeps its reservation. */
  applyExpiry(id: string, proof: ExpiryProof): void;
  /** Sends the same bytes again, unless something is stopped. */
  resend(transfer: Transfer): void;
  /** Cancels a row that was never signed. */
  cancel(id: string, refusal: Refusal): void;
  /** True while this process is taking the row forward. */
  busy(id: string): boolean;
}

export const createMachine = (context: Context): Machine => {
  const { store, chain, keys, receipts, time, outcomes, turns, publish, log, settings } = context;
  const inHand = new Set<string>();
  const watched = new Map<string, () => void>();

  /** One step: compare-and-set along the table. Joins the surrounding transaction. */
  const step = (row: Transfer, to: TransferState, change: TransferChange): Transfer => {
    invariant(mayGo(row.state, to), `a transfer goes from ${row.state} to ${to}`);
    return store.transfers.move(row.id, row.state, to, change);
  };
  const tell = (transfer: Transfer): void => {
    if (transfer.state !== 'signed' && transfer.state !== 'sent') unwatch(transfer.id);
    outcomes.changed(transfer.id);
    publish({ type: 'transfer', transfer });
  };
  const current = (id: string): Transfer => {
    const row = store.transfers.get(id);
    invariant(row !== undefined, `transfer ${id} exists`);
    return row;
  };

  const advance = async (id: string): Promise<void> => {
    if (inHand.has(id)) return;
    inHand.add(id);
    try {
      for (;;) {
        const row = current(id);
        switch (row.state) {
          case 'reserved':
            if (!canBeCarried(row)) return;
            await sign(row);
            continue;
          case 'signed':
            await send(row);
            return;
          case 'awaiting_approval':
          case 'sent':
          case 'seen':
          case 'unknown':
          case 'final':
          case 'failed':
          case 'dead':
          case 'cancelled':
          case 'denied':
            return;
          default:
            unreachable(row.state);
        }
      }
    } catch (error) {
      // The row on disk says what happened; recovery takes it from there.
      log.error({ err: error, transfer: id }, 'a payment could not be advanced; recovery will retry');
    } finally {
      inHand.delete(id);
      outcomes.changed(id);
    }
  };

  /** T2. Signing happens inside the transaction, so that a freeze commits either before it or after it. */
  const sign = async (row: Transfer): Promise<void> => {
    let lifetime;
    try {
      lifetime = await chain.lifetime();
    } catch (error) {
      log.warn({ err: error, transfer: row.id }, 'no blockhash available');
      cancel(row.id, chainUnreachable);
      return;
    }
    try {
      const { result: after, durable } = store.grouped(() => signOrCancel(row, lifetime));
      await durable;
      if (after.state === 'cancelled' || isViaFacilitator(after)) tell(after);
    } catch (error) {
      if (error instanceof AppError && error.code === 'halted') throw error;
      // The transaction was rolled back, and any signature was lost with it.
      log.error({ err: error, transfer: row.id }, 'a transfer could not be signed');
      cancel(row.id, notSigned);
    }
  };

  /** Requests are in memory alone: after a restart, one is unknown until its agent repeats it. */
  const canBeCarried = (row: Transfer): boolean =>
    !isViaFacilitator(row) || row.purchase?.carrier === 'agent' || context.carried.has(row.id);

  const signOrCancel = (row: Transfer, lifetime: Lifetime): Transfer => {
    const now = time.now();
    const refusal = refusalAtSigning(current(row.id), now);
    if (refusal !== null) return step(row, 'cancelled', { refusal, endedAt: now });
    const signed = keys.sign(row.id, chain.build(row, lifetime));
    return step(row, 'signed', { signed: { ...signed, lifetime, at: now } });
  };

  /** Checks everything that may have changed since T1. */
  const refusalAtSigning = (row: Transfer, now: number): Refusal | null => {
    try {
      refuseWhenUnable(context);
      refuseRevoked(context, row.keyId);
    } catch (error) {
      if (error instanceof AppError) return refusalFrom(error);
      throw error;
    }
    const stop = stopFor(context, row);
    if (stop !== null) return refusalFrom(stop);
    if (now - (row.reservedAt ?? 0) > settings.reservationMs) return interrupted;
    const decision = judgeAgain(context, row, now);
    if (decision.kind === 'allow') return null;
    return decision.kind === 'deny' ? decision.refusal : noLongerCovered(decision.because);
  };

  /** T3. `sent` is recorded after the RPC answers, off the critical path, so a `signed` row may have been sent. */
  const send = async (row: Transfer): Promise<void> => {
    invariant(row.signed !== null, 'only signed bytes are sent');
    if (stopFor(context, row) !== null) {
      // Never sent, even once the stop is lifted: only `signed` and `sent` rows are.
      tell(store.atomically(() => step(row, 'unknown', neverSent)));
      return;
    }
    if (isViaFacilitator(row)) return;
    // No stop can come between the check above and the bytes leaving: both are in one turn of the event loop.
    watch(row.id, row.signed.signature);
    try {
      await chain.broadcast(row.signed.wire);
    } catch (error) {
      // An RPC error is only a hint: the bytes may still land.
      log.warn(
        { err: error, transfer: row.id },
        'the RPC did not take a transaction; it is watched all the same',
      );
    }
    const now = current(row.id);
    if (now.state !== 'signed') return;
    tell(store.lazily(() => step(now, 'sent', { sentAt: time.now() })));
  };

  const submitViaFacilitator = (id: string): void => {
    const row = current(id);
    invariant(isViaFacilitator(row) && row.signed !== null, 'a facilitator submits only signed transactions');
    invariant(!inHand.has(id), 'submitted bytes are on disk');
    const stop = stopFor(context, row);
    if (stop !== null) {
      if (row.state === 'signed') tell(store.atomically(() => step(row, 'unknown', neverSent)));
      throw stop;
    }
    if (row.state === 'signed') {
      // The commit is not awaited: after a crash, a row that is still `signed` may have been submitted.
      const sent = store.lazily(() => step(row, 'sent', { sentAt: time.now() }));
      setImmediate(tell, sent);
      return;
    }
    const shownBefore = row.state === 'sent' || row.state === 'seen' || row.state === 'final';
    if (!shownBefore)
      throw new AppError('payment_failed', 'This payment can no longer be shown to its seller.');
  };

  const resend = (row: Transfer): void => {
    if (isViaFacilitator(row)) return;
    if (row.signed === null || stopFor(context, row) !== null) return;
    if (!watched.has(row.id)) watch(row.id, row.signed.signature);
    chain.broadcast(row.signed.wire).catch((error: unknown) => {
      log.debug({ err: error, transfer: row.id }, 'rebroadcast not accepted');
    });
  };

  const watch = (id: string, signature: string): void => {
    unwatch(id);
    watched.set(
      id,
      chain.onConfirmed(signature, (sighting) => void observe(id, sighting)),
    );
  };
  const unwatch = (id: string): void => {
    watched.get(id)?.();
    watched.delete(id);
  };

  /** T4 and T5. An error counts only at `finalized`: at `confirmed`, the same bytes can still land on another fork. */
  const observe: Machine['observe'] = async (id, sighting, txSignature) => {
    try {
      if (sighting.commitment === 'processed') return;
      const finalized = sighting.commitment === 'finalized';
      if (sighting.error !== null) {
        if (finalized) fail(id, sighting, txSignature);
        return;
      }
      const row = current(id);
      if (!isOpen(row) || row.state === 'reserved') return;
      const known = row.seenSlot === sighting.slot ? row.blockTime : null;
      const blockTime = known ?? (await chain.blockTime(sighting.slot)) ?? time.now();
      await turns.next(row.agentId ?? '');
      const seen = { ...sighting, blockTime, txSignature };
      store.lazily(() => see(id, seen));
      tell(current(id));
    } catch (error) {
      log.error({ err: error, transfer: id }, 'a sighting could not be entered; it will be looked up again');
    }
  };

  const see = (
    id: string,
    {
      slot,
      commitment,
      blockTime,
      txSignature,
    }: Sighting & { blockTime: number; txSignature: string | undefined },
  ): void => {
    let row = current(id);
    const name = foundSignature(row, txSignature ?? row.purchase?.txSignature);
    // It landed in another slot than the one seen first, so the receipt has changed.
    if (row.state === 'seen' && row.seenSlot !== slot) row = step(row, 'sent', unseenOf(row));
    if (row.state === 'signed' || row.state === 'sent' || row.state === 'unknown') {
      const change = { seenAt: time.now(), seenSlot: slot, blockTime, ...name };
      row = step(row, 'seen', { ...change, receipt: receiptOf({ ...row, ...change }, blockTime) });
      if (row.agentId !== null && row.kind === 'payment')
        store.payees.remember(row.agentId, row.payee, time.now());
    }
    if (commitment === 'finalized' && row.state === 'seen')
      step(row, 'final', { seenSlot: slot, endedAt: time.now() });
  };

  /** Facilitators need no receipt. A missing receipt is issued on request. */
  const receiptOf = (row: Transfer, blockTime: number): string | null =>
    row.kind !== 'payment' || keys.locked() || isViaFacilitator(row) ? null : receipts.issue(row, blockTime);

  const fail = (id: string, { slot, error }: Sighting, txSignature?: string): void => {
    const row = current(id);
    if (!mayGo(row.state, 'failed')) return;
    const refusal = paymentFailed(
      'The chain executed this payment and refused it. Nothing but its network fee was spent.',
    );
    const change = {
      refusal,
      seenSlot: slot,
      endedAt: time.now(),
      evidence: JSON.stringify({ error, slot }),
      ...foundSignature(row, txSignature),
    };
    tell(store.atomically(() => step(row, 'failed', change)));
  };

  const fallBack = (id: string): void => {
    const row = current(id);
    if (row.state !== 'seen') return;
    tell(store.atomically(() => step(row, 'sent', unseenOf(row))));
    if (row.signed !== null && !isViaFacilitator(row)) watch(id, row.signed.signature);
  };

  const applyExpiry = (id: string, proof: ExpiryProof): void => {
    const row = current(id);
    if (proof.dead) {
      if (!mayGo(row.state, 'dead')) return;
      const refusal = paymentFailed(
        'This payment did not reach the chain in time and never can. Nothing was spent.',
      );
      const change = { refusal, endedAt: time.now(), evidence: JSON.stringify(proof.evidence) };
      tell(store.atomically(() => step(row, 'dead', change)));
    } else if (row.state === 'signed' || row.state === 'sent') {
      tell(store.atomically(() => step(row, 'unknown', { evidence: JSON.stringify({ why: proof.why }) })));
    }
  };

  const cancel: Machine['cancel'] = (id, refusal) => {
    const row = current(id);
    if (row.state !== 'reserved') return;
    tell(store.atomically(() => step(row, 'cancelled', { refusal, endedAt: time.now() })));
  };

  return {
    advance,
    observe,
    submitViaFacilitator,
    fallBack,
    applyExpiry,
    resend,
    cancel,
    busy: (id) => inHand.has(id),
  };
};

/** A stop's change to signed bytes that may not have left yet: they are never sent, and watched until they expire. */
export const neverSent: TransferChange = {
  evidence: JSON.stringify({ why: 'stopped before it was known to be sent' }),
};
