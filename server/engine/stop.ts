// Stopping: one agent, or everything. What is stopped is on disk before anybody is told that it is.
import { announceApproval, refuseApproval } from './approval.ts';
import { boundByFreeze, type Context } from './context.ts';
import { neverSent } from './payment.ts';
import type { Agent, Approval, Freeze, Transfer } from './ports.ts';
import { refuseBeforeRescan } from './rescan-mark.ts';

type Stopping = Pick<Context, 'store' | 'time' | 'publish' | 'outcomes'>;

const movesMoney = ({ kind }: Approval): boolean => kind === 'payment' || kind === 'allocate';

/** A freeze cancels all that waits; a suspension what would move that agent's money. */
const cancelPending = (context: Stopping, agentId?: string): Approval[] => {
  const pending = context.store.approvals
    .pending(agentId)
    .filter((it) => agentId === undefined || movesMoney(it));
  for (const approval of pending) refuseApproval(context, approval, 'cancelled');
  return pending;
};

/** Signed bytes that have perhaps not left yet are never sent from here on, also not once the stop is lifted. */
const abandonSigned = ({ store }: Stopping, agentId?: string): Transfer[] =>
  store.transfers
    .open()
    .filter((row) => row.state === 'signed' && boundByFreeze(row))
    .filter((row) => agentId === undefined || row.agentId === agentId)
    .map((row) => store.transfers.move(row.id, 'signed', 'unknown', neverSent));

const announce = (context: Stopping, { approvals, transfers }: Stopped): void => {
  for (const { id } of approvals) announceApproval(context, id);
  for (const transfer of transfers) context.publish({ type: 'transfer', transfer });
};

interface Stopped {
  approvals: Approval[];
  transfers: Transfer[];
}

/** Suspends an agent (nothing new if it is), or freezes everything when `agentId` is null: the treasury's own wallet. */
export const suspend = (context: Stopping, agentId: string | null, reason: string | null): void => {
  if (agentId === null) {
    freeze(context, reason ?? 'the treasury’s wallet is stopped');
    return;
  }
  const { store, publish } = context;
  const stopped = store.atomically(() => {
    const agent = store.agents.get(agentId);
    if (agent === undefined || agent.status === 'suspended') return { approvals: [], transfers: [] };
    store.agents.update(agentId, { status: 'suspended', statusReason: reason });
    return { approvals: cancelPending(context, agentId), transfers: abandonSigned(context, agentId) };
  });
  announce(context, stopped);
  publish({ type: 'agent', agentId });
};

export const resume = ({ store, publish }: Stopping, agentId: string): Agent => {
  const agent = store.atomically(() =>
    store.agents.update(agentId, { status: 'active', statusReason: null }),
  );
  publish({ type: 'agent', agentId });
  return agent;
};

/** Commits the freeze; when it returns nothing bound by it is reserved, signed or sent for the first time. */
export const freeze = (context: Stopping, reason: string): Freeze => {
  const { store, time, publish } = context;
  const { frozen, stopped } = store.atomically(() => {
    const state = store.freeze.get() ?? { since: time.now(), reason };
    store.freeze.set(state);
    return {
      frozen: state,
      stopped: { approvals: cancelPending(context), transfers: abandonSigned(context) },
    };
  });
  announce(context, stopped);
  publish({ type: 'freeze', frozen: true, reason: frozen.reason });
  return frozen;
};

/**
 * Lifts the freeze, and is the owner's word that this machine's clock is right.
 * @throws AppError `conflict` while the records have yet to be compared with the chain
 */
export const unfreeze = ({ store, time, publish }: Stopping): void => {
  store.atomically(() => {
    refuseBeforeRescan(store);
    store.freeze.set(null);
  });
  time.trust();
  publish({ type: 'freeze', frozen: false, reason: null });
};

/** Rows that were sent before the stop: nobody can take them back, and they may land until their lifetime is over. */
export const mayStillLand = ({ store }: Pick<Context, 'store'>): Transfer[] =>
  store.transfers.open().filter((row) => boundByFreeze(row) && row.signed !== null && row.state !== 'seen');
