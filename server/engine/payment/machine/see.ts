// T4 and T5: what the chain shows of a transfer, up to its end.
import type { EndProof, Sighting, Transfer, TransferChange } from '../../ports.ts';
import { toleranceMs } from '../../domain/time.ts';
import { payeesOf } from '../../domain/purchase.ts';
import { isOpen, mayGo } from '../../domain/states.ts';
import { noteUndelivered } from '../../notices/add-notice.ts';
import { paymentFailed } from '../decision/refusals.ts';
import { explainedBy } from '../decision/explained.ts';
import { commitStep, current, step, tell, watch, type Steps } from './steps.ts';
import { noteOutcome } from '../decision/watch-notes.ts';
import { foundSignature, isViaFacilitator, unseenOf } from './tx-signature.ts';

/**
 * T4 and T5. An error counts only at `finalized`: at `confirmed`, the same bytes can still land on another fork. It then
 * releases money, so that every RPC has to prove it.
 */
export const observe = async (
  steps: Steps,
  id: string,
  sighting: Sighting,
  txSignature?: string,
): Promise<void> => {
  const { store, chain, time, turns, log } = steps;
  try {
    if (sighting.commitment === 'processed') return;
    const finalized = sighting.commitment === 'finalized';
    const row = current(steps, id);
    if (!isOpen(row) || row.state === 'reserved') return;
    if (sighting.error !== null) {
      if (!finalized) return;
      const [proof] = await chain.proveEnded([named(row, txSignature)], explainedBy(store));
      if (proof !== undefined) applyProof(steps, id, proof, txSignature);
      return;
    }
    const known = row.seenSlot === sighting.slot ? row.blockTime : null;
    const blockTime = known ?? (await chain.blockTime(sighting.slot)) ?? time.now();
    await turns.next(row.agentId ?? '');
    // Later than now, it is wrong, and would keep the payment in the windows of its budgets for years.
    const seen = { ...sighting, blockTime: Math.min(blockTime, time.now() + toleranceMs), txSignature };
    store.lazily(() => see(steps, id, seen));
    tell(steps, current(steps, id));
  } catch (error) {
    log.error({ err: error, transfer: id }, 'a sighting could not be entered; it will be looked up again');
  }
};

/** The row with the signature under which the chain shows it. */
const named = (row: Transfer, txSignature: string | undefined): Transfer =>
  row.purchase === null || txSignature === undefined
    ? row
    : { ...row, purchase: { ...row.purchase, txSignature } };

const see = (
  steps: Steps,
  id: string,
  {
    slot,
    commitment,
    blockTime,
    txSignature,
  }: Sighting & { blockTime: number; txSignature: string | undefined },
): void => {
  const { store, time } = steps;
  let row = current(steps, id);
  const name = foundSignature(row, txSignature ?? row.purchase?.txSignature);
  // It landed in another slot than the one seen first, so the receipt has changed.
  if (row.state === 'seen' && row.seenSlot !== slot) row = step(steps, row, 'sent', unseenOf(row));
  if (row.state === 'signed' || row.state === 'sent' || row.state === 'unknown') {
    const change = { seenAt: time.now(), seenSlot: slot, blockTime, ...name };
    row = step(steps, row, 'seen', {
      ...change,
      receipt: receiptOf(steps, { ...row, ...change }, blockTime),
    });
    noteUndelivered(steps, row);
    // A phone grants one payment and makes no payee known.
    const isByPhone = row.approvalId !== null && store.phones.hasApproved(row.approvalId);
    if (row.agentId !== null && row.kind === 'payment' && !isByPhone)
      for (const payee of payeesOf(row)) store.payees.remember(row.agentId, payee, time.now());
    noteOutcome(steps, row, time.now());
  }
  if (commitment === 'finalized' && row.state === 'seen')
    step(steps, row, 'final', { seenSlot: slot, endedAt: time.now(), ...feeTaken(steps, row) });
};

/** In place of the most that it could be, which was reserved. Rows that were found on the chain have it already. */
const feeTaken = ({ chain }: Steps, row: Transfer): Pick<TransferChange, 'feeLamports'> =>
  row.signed === null || isViaFacilitator(row) ? {} : { feeLamports: chain.feeTaken(row.signed.wire) };

/** Facilitators need no receipt. A missing receipt is issued on request. */
const receiptOf = ({ keys, receipts }: Steps, row: Transfer, blockTime: number): string | null =>
  row.kind !== 'payment' || keys.locked() || isViaFacilitator(row) ? null : receipts.issue(row, blockTime);

/** Takes a row back to `sent`: the chain no longer shows the transaction that it showed at `confirmed`. */
export const fallBack = (steps: Steps, id: string): void => {
  const row = current(steps, id);
  if (row.state !== 'seen') return;
  commitStep(steps, row, 'sent', unseenOf(row));
  if (row.signed !== null && !isViaFacilitator(row)) watch(steps, id, row.signed.signature);
};

/** Ends a row if the proof shows that it moved no money; otherwise keeps its reservation. */
export const applyProof = (steps: Steps, id: string, proof: EndProof, txSignature?: string): void => {
  const row = current(steps, id);
  if (!proof.dead) {
    if (row.state === 'signed' || row.state === 'sent')
      commitStep(steps, row, 'unknown', { evidence: JSON.stringify({ why: proof.why }) });
    return;
  }
  const to = proof.failed === undefined ? 'dead' : 'failed';
  if (!mayGo(row.state, to)) return;
  const ended = { endedAt: steps.time.now(), evidence: JSON.stringify(proof.evidence) };
  if (proof.failed === undefined) return commitStep(steps, row, 'dead', { ...ended, refusal: expired });
  commitStep(steps, row, 'failed', {
    ...ended,
    refusal: refused,
    seenSlot: proof.failed.slot,
    ...feeTaken(steps, row),
    ...foundSignature(row, txSignature),
  });
};

const expired = paymentFailed(
  'This payment did not reach the chain in time, and can no longer go through. Nothing was spent.',
);
const refused = paymentFailed('The chain refused this payment. Only its network fee was spent.');
