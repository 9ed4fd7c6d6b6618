// The ground that the steps of a transfer share: its row, one move along the table of states, and who is notified.
import { invariant } from '../../../errors.ts';
import { mayGo } from '../../domain/states.ts';
import type { Refusal, Sighting, Transfer, TransferChange, TransferState } from '../../ports.ts';
import type { Context } from '../context.ts';

export interface Steps extends Context {
  /** Ids of the rows that this process is taking forward. */
  inHand: Set<string>;
  /** By id, the function that ends the subscription to the chain. */
  watched: Map<string, () => void>;
  /** T4 and T5, for what a subscription reports. */
  observe(id: string, sighting: Sighting, txSignature?: string): Promise<void>;
}

/** @throws when there is no such row: rows are never deleted */
export const current = ({ store }: Pick<Context, 'store'>, id: string): Transfer => {
  const row = store.transfers.get(id);
  invariant(row !== undefined, `transfer ${id} exists`);
  return row;
};

/** One step: compare-and-set along the table. Joins the surrounding transaction. */
export const step = (
  { store }: Pick<Context, 'store'>,
  row: Transfer,
  to: TransferState,
  change: TransferChange,
): Transfer => {
  invariant(mayGo(row.state, to), `a transfer goes from ${row.state} to ${to}`);
  return store.transfers.move(row.id, row.state, to, change);
};

/** Call it after the step: wakes the calls that wait for the transfer, and publishes it. */
export const tell = (steps: Steps, transfer: Transfer): void => {
  if (transfer.state !== 'signed' && transfer.state !== 'sent') unwatch(steps, transfer.id);
  steps.outcomes.changed(transfer.id);
  steps.publish({ type: 'transfer', transfer });
};

/** One step in a transaction of its own, announced once it is committed. */
export const commitStep = (steps: Steps, row: Transfer, to: TransferState, change: TransferChange): void => {
  tell(
    steps,
    steps.store.atomically(() => step(steps, row, to, change)),
  );
};

/** Cancels a row that was never signed. */
export const cancel = (steps: Steps, id: string, refusal: Refusal): void => {
  const row = current(steps, id);
  if (row.state !== 'reserved') return;
  commitStep(steps, row, 'cancelled', { refusal, endedAt: steps.time.now() });
};

/** Subscribes to the transaction's confirmation, in the place of an earlier subscription. */
export const watch = (steps: Steps, id: string, signature: string): void => {
  unwatch(steps, id);
  steps.watched.set(
    id,
    steps.chain.onConfirmed(signature, (sighting) => void steps.observe(id, sighting)),
  );
};

const unwatch = ({ watched }: Steps, id: string): void => {
  watched.get(id)?.();
  watched.delete(id);
};

/** A stop's change to signed bytes that may not have left yet: they are never sent, and watched until they expire. */
export const neverSent: TransferChange = {
  evidence: JSON.stringify({ why: 'stopped before it was known to be sent' }),
};
