// The life of money in this treasury. Read this file first.
//
// A transfer is any movement of money that we sign. It is one row of `transfer`, and the steps T1 to T5 take it from
// state to state; T1 is in ../decision, the others are here. Each step is atomic; between two steps the process may die
// at any instruction. Steps in one turn of the event loop share one synced commit (`store.grouped`), and nothing of T1 or
// T2 leaves the process before that commit is on disk. T3 to T5 record facts that can be read from the chain again, so
// they join the next commit (`store.lazily`).
//
//   T1  intent.ts   nothing -> reserved | awaiting_approval | denied   one decision; reserved money counts as spent
//   T2  sign.ts     reserved -> signed      bytes, signature and expiry are on disk before a byte leaves
//   T3  send.ts     signed -> sent          the bytes are sent, and sent again until seen or expired
//   T4  see.ts      sent -> seen            confirmed without error: the receipt is written, the caller gets its answer
//   T5  see.ts      seen -> final           finalized: the ledger is posted
//
// After a crash               the disk says   and recovery (recovery.ts)
//   before T1 commits         nothing         does nothing: a retry with the same idempotency key is the first try
//   T1 .. before T2 commits   reserved        cancels it: no byte ever left; its idempotency key is used up
//   T2 .. before T3 commits   signed          sends those bytes (never after a stop), and proves expiry if none land
//   T3 .. before T4 commits   sent            looks the signature up; sends the same bytes until they expire
//   T4 .. before T5 commits   seen            waits for finality; a fork takes it back to `sent`
//   T5                        final           does nothing: a replay gets the stored answer
//
// Invariants, each with its test (test/engine/invariant-N.test.ts, and invariants-2-3-6.test.ts):
//   1 One idempotency key, one decision, stored together in T1. A replay gets the same payment; another body under the
//     key is refused.
//   2 Journal before wire: no byte made with a signing key leaves before T2 has committed.
//   3 One live signature per payment: sending again means the same bytes. After `dead`, a new payment needs a new
//     idempotency key.
//   4 At any decision, and for every node of the path, open rows, however old, and the final rows of a window never exceed
//     the node's budget of that window.
//   5 Final is final: states move along the table in domain/states.ts, by compare-and-set.
//   6 A reservation is released only by denial, by canceling a row that was never signed, or by proof from every RPC
//     that is configured, of a failure at `finalized` or of expiry; never by a timeout or a send error.
//   7 Ledger entries sum to zero, and every debit of a managed wallet maps to exactly one row.
//   8 After a freeze or suspension commits, nothing that it binds is reserved, signed or sent for the first time.
import { unreachable } from '../../../errors.ts';
import type { EndProof, Refusal, Sighting, Transfer } from '../../ports.ts';
import type { Context } from '../context.ts';
import { applyProof, fallBack, observe } from './see.ts';
import { resend, send, submitViaFacilitator } from './send.ts';
import { canBeCarried, sign } from './sign.ts';
import { cancel, current, type Steps } from './steps.ts';

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
  /** Ends a row if the proof shows that it moved no money; otherwise keeps its reservation. */
  applyProof(id: string, proof: EndProof): void;
  /** Sends the same bytes again, unless something is stopped. */
  resend(transfer: Transfer): void;
  /** Cancels a row that was never signed. */
  cancel(id: string, refusal: Refusal): void;
  /** True while this process is taking the row forward. */
  busy(id: string): boolean;
}

export const createMachine = (context: Context): Machine => {
  const steps: Steps = {
    ...context,
    inHand: new Set(),
    watched: new Map(),
    observe: (id, sighting, txSignature) => observe(steps, id, sighting, txSignature),
  };
  return {
    advance: (id) => advance(steps, id),
    observe: steps.observe,
    submitViaFacilitator: (id) => submitViaFacilitator(steps, id),
    fallBack: (id) => fallBack(steps, id),
    applyProof: (id, proof) => applyProof(steps, id, proof),
    resend: (transfer) => resend(steps, transfer),
    cancel: (id, refusal) => cancel(steps, id, refusal),
    busy: (id) => steps.inHand.has(id),
  };
};

const advance = async (steps: Steps, id: string): Promise<void> => {
  const { inHand, outcomes, log } = steps;
  if (inHand.has(id)) return;
  inHand.add(id);
  try {
    for (;;) {
      const row = current(steps, id);
      switch (row.state) {
        case 'reserved':
          if (!canBeCarried(steps, row)) return;
          await sign(steps, row);
          continue;
        case 'signed':
          await send(steps, row);
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
