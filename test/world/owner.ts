// The owner's acts in a life: on the treasury, the reference and the judge's notes.
import { AppError } from '../../server/errors.ts';
import { usdc } from '../../server/money.ts';
import type { Judge } from './judge.ts';
import type { Reference, Rules } from './reference.ts';
import type { World } from './world.ts';
import { localDoor } from '../harness/local-door.ts';

export interface Owner {
  grant(approvalId: string, hash: 'right' | 'wrong', times: number): Promise<void>;
  deny(approvalId: string): void;
  freeze(): void;
  unfreeze(): void;
  suspend(agentId: string): void;
  resume(agentId: string): void;
  change(agentId: string, change: Partial<Rules>): void;
  ceiling(amount: bigint | null): void;
}

const owner = { role: 'owner' } as const;
const bare = { door: localDoor, params: {}, query: {}, body: {}, key: null, waitMs: null } as const;

export const createOwner = (world: World, judge: Judge, reference: Reference): Owner => {
  const { time } = world;
  const operations = () => world.engine().operations;

  return {
    async grant(approvalId, hash, times) {
      const approval = world.store().approvals.get(approvalId);
      const one = judge.approvalOf(approvalId);
      if (approval === undefined || one === undefined) return;
      const { known } = one;
      const now = time.now();
      const mayBe =
        hash === 'right' &&
        known.state === 'awaiting_approval' &&
        (known.held?.expiresAt ?? 0) > now &&
        approval.status === 'pending';
      if (mayBe) judge.doings.granted.add(approvalId);
      const body = { hash: hash === 'right' ? approval.hash : approval.hash.replace(/^./, 'x') };
      const { grantApproval } = operations();
      const answers: unknown[] = [];
      const calls = Array.from({ length: times }, async () =>
        grantApproval({ ...bare, caller: owner, params: { approvalId }, body }),
      );
      for (const call of calls)
        void call.then(
          () => answers.push(null),
          (error: unknown) => answers.push(error),
        );
      await world.settle();
      if (world.isDown()) return;
      const granted = answers.filter((answer) => answer === null).length;
      if (granted > (mayBe ? 1 : 0)) judge.find(`6: an approval was granted ${granted} times, ${hash} hash`);
    },

    deny(approvalId) {
      const one = judge.approvalOf(approvalId);
      const isPending =
        one?.known.state === 'awaiting_approval' && (one.known.held?.expiresAt ?? 0) > time.now();
      if (isPending) judge.doings.denied.add(approvalId);
      const isDenied = tryTo(() =>
        operations().denyApproval({ ...bare, body: { afterMs: 0 }, caller: owner, params: { approvalId } }),
      );
      if (isDenied !== isPending)
        judge.find(`6: an approval was ${isDenied ? '' : 'not '}denied that ${isPending ? '' : 'not '}waits`);
    },

    freeze() {
      void operations().freeze({ ...bare, caller: owner });
      reference.frozen = true;
      judge.stopped(null);
    },
    unfreeze() {
      void operations().unfreeze({ ...bare, caller: owner });
      reference.frozen = false;
    },
    suspend(agentId) {
      void operations().kill({ ...bare, caller: owner, params: { agentId } });
      const isNew = !reference.suspended.has(agentId);
      reference.suspended.add(agentId);
      if (isNew) judge.stopped(agentId);
    },
    resume(agentId) {
      void operations().resume({ ...bare, caller: owner, params: { agentId } });
      reference.suspended.delete(agentId);
    },

    change(agentId, change) {
      const { dailyBudget, maxPerPayment, cooldownMs, services, approveAbove } = change;
      const body = {
        ...(dailyBudget === undefined ? {} : { dailyBudget: usdc(dailyBudget) }),
        ...(maxPerPayment === undefined ? {} : { maxPerPayment: usdc(maxPerPayment) }),
        ...(cooldownMs === undefined ? {} : { cooldownSeconds: cooldownMs / 1_000 }),
        ...(services === undefined ? {} : { allowedServices: [...services] }),
        ...(approveAbove === undefined
          ? {}
          : { approveAbove: approveAbove === null ? null : usdc(approveAbove) }),
      };
      void operations().setPolicy({ ...bare, caller: owner, params: { agentId }, body });
      reference.change(agentId, change);
      judge.doings.policies.add(agentId);
    },
    ceiling(amount) {
      const body = { dailyBudget: amount === null ? null : usdc(amount) };
      void operations().setCeiling({ ...bare, caller: owner, body });
      reference.ceiling = amount;
      for (const agentId of reference.rules.keys()) judge.doings.policies.add(agentId);
    },
  };
};

const tryTo = (work: () => unknown): boolean => {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
};
