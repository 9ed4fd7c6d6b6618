// The owner's acts in a life: on the treasury, the reference and the judge's notes.
import { phoneRequestsFor } from '../../server/engine/api/phones/phone-requests.ts';
import { AppError } from '../../server/errors.ts';
import { usdc } from '../../server/money.ts';
import { healDisk } from './disk-faults.ts';
import type { Judge } from './judge/judge.ts';
import { agentIds, teamId } from './keys.ts';
import { everything, nodeOfGroup, nodeOfKey, type Reference, type Rules } from './judge/reference.ts';
import { freezeWord, wordFor } from './phone.ts';
import { heightOf } from './true-chain.ts';
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
  /** Puts an agent into the team, or takes it out. */
  move(agentId: string, isIn: boolean): void;
  limitTeam(change: Partial<Rules>): void;
  stopTeam(): void;
  resumeTeam(): void;
  /** Raises a node's budgets for a time; an amount of 0 ends that. */
  boost(node: 'ann' | 'bob' | 'team' | 'all', amount: bigint, ms: number): void;
  /** Delegates a key of an agent, or of one of its keys. */
  delegate(agentId: string, parent: string | null, limits: Slice): Promise<void>;
  endKey(keyId: string): void;
  /** By the phone, over the chain. */
  sayStop(): void;
  sayAnswer(verb: 'approve' | 'deny', approvalId: string): void;
  /** A stop that the phone said is committed. */
  phoneStopped(): void;
  /** A stop for money that no payment explains is committed: of an agent, or null for everything. */
  foundShort(agentId: string | null): void;
}

/** The limits of a delegated key, and its end. */
export interface Slice {
  dailyBudget: bigint;
  maxPerPayment: bigint | null;
  ms: number;
}

const owner = { role: 'owner' } as const;
const bare = { door: localDoor, params: {}, query: {}, body: {}, key: null, waitMs: null } as const;

export const createOwner = (world: World, judge: Judge, reference: Reference): Owner => {
  const { time } = world;
  /** The disk fails under stops alone: of anything else, nobody knows after a failure whether it was done. */
  const operations = () => {
    healDisk();
    return world.engine().operations;
  };

  /** Payments are decided between the request for new limits and the commit, which this event announces at once. */
  const whenCommitted = (type: 'agent' | 'ceiling', then: () => void, isDone = () => true): void => {
    const stop = world.engine().onEvent((event) => {
      // The end of a request to a model is an event of its agent too.
      if (event.type !== type || !isDone()) return;
      stop();
      if (world.isDown()) return;
      judge.lookAtDecisions();
      then();
    });
  };
  const members = (): string[] => agentIds.filter((agentId) => reference.groups.get(agentId) === teamId);
  const changed = (of: readonly string[]): void => {
    for (const agentId of of) judge.doings.policies.add(agentId);
  };
  const endKeys = (wanted: (keyId: string) => boolean): void => {
    for (const [keyId, key] of reference.keys) {
      if (!wanted(keyId)) continue;
      key.isEnded = true;
      judge.doings.stops.add(keyId);
    }
  };
  const suspended = (agentId: string): void => {
    if (reference.suspended.has(agentId)) return;
    reference.suspended.add(agentId);
    endKeys((keyId) => reference.keys.get(keyId)?.agentId === agentId);
    judge.stopped(agentId);
  };
  const frozen = (): void => {
    reference.frozen = true;
    endKeys(() => true);
    judge.stopped(null);
  };
  /** The key itself, or one that it delegated. */
  const isBelow = (keyId: string | null, above: string): boolean =>
    keyId !== null && (keyId === above || isBelow(reference.keys.get(keyId)?.parent ?? null, above));

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
      // If the disk fails, the stop marker keeps the stop.
      tryTo(() => world.engine().operations.freeze({ ...bare, caller: owner }));
      frozen();
    },
    unfreeze() {
      void operations().unfreeze();
      reference.frozen = false;
    },
    suspend(agentId) {
      void operations().kill({ ...bare, caller: owner, params: { agentId } });
      // It outlasts the stop of a group.
      reference.stoppedWith.delete(agentId);
      suspended(agentId);
    },
    resume(agentId) {
      void operations().resume({ ...bare, caller: owner, params: { agentId } });
      reference.suspended.delete(agentId);
      reference.stoppedWith.delete(agentId);
    },

    change(agentId, change) {
      const body = bodyOf(change);
      const { setPolicy } = operations();
      const { policies } = world.store();
      const { version } = policies.get(agentId);
      const isDone = () => policies.get(agentId).version !== version;
      const then = (): void => {
        reference.change(agentId, change);
        changed([agentId]);
      };
      whenCommitted('agent', then, isDone);
      void setPolicy({ ...bare, caller: owner, params: { agentId }, body });
    },
    ceiling(amount) {
      const body = { dailyBudget: amount === null ? null : usdc(amount) };
      void operations().setCeiling({ ...bare, caller: owner, body });
      reference.change(everything, { dailyBudget: amount });
      changed(agentIds);
    },

    move(agentId, isIn) {
      const groupId = isIn ? teamId : null;
      const isDone = tryTo(() =>
        operations().setAgentGroup({ ...bare, caller: owner, params: { agentId }, body: { groupId } }),
      );
      if (isDone !== !(isIn && reference.stoppedGroups.has(teamId)))
        judge.find(`8: ${agentId} was ${isDone ? '' : 'not '}put into a group, which is stopped or not`);
      if (isDone) reference.groups.set(agentId, groupId);
      changed([agentId]);
    },
    limitTeam(change) {
      const body = bodyOf(change);
      const { setGroupLimits } = operations();
      whenCommitted('ceiling', () => {
        reference.change(nodeOfGroup(teamId), change);
        changed(members());
      });
      void setGroupLimits({ ...bare, caller: owner, params: { groupId: teamId }, body });
    },
    stopTeam() {
      void operations().stopGroup({ ...bare, caller: owner, params: { groupId: teamId } });
      reference.stoppedGroups.add(teamId);
      for (const agentId of members()) {
        if (!reference.suspended.has(agentId)) reference.stoppedWith.set(agentId, teamId);
        suspended(agentId);
      }
    },
    resumeTeam() {
      void operations().resumeGroup({ ...bare, caller: owner, params: { groupId: teamId } });
      reference.stoppedGroups.delete(teamId);
      for (const agentId of reference.stoppedWith.keys()) reference.suspended.delete(agentId);
      reference.stoppedWith.clear();
    },

    boost(node, amount, ms) {
      const body = { amount: usdc(amount), until: time.now() + ms };
      const call = { ...bare, caller: owner, body };
      if (node === 'team') void operations().boostGroup({ ...call, params: { groupId: teamId } });
      else if (node === 'all') void operations().boostTreasury(call);
      else void operations().boostAgent({ ...call, params: { agentId: node } });
      const name = node === 'team' ? nodeOfGroup(teamId) : node === 'all' ? everything : node;
      if (amount === 0n) reference.boosts.delete(name);
      else reference.boosts.set(name, { amount, until: body.until });
      changed(agentIds);
    },

    async delegate(agentId, parent, { dailyBudget, maxPerPayment, ms }) {
      const above = parent === null ? undefined : reference.keys.get(parent);
      const level = (above?.level ?? 0) + 1;
      const endsAt = time.now() + ms;
      const stop = reference.stopped(agentId);
      const mayBe =
        stop === null &&
        level <= mostLevels &&
        !reference.hasEnded(parent, time.now()) &&
        endsAt <= (above?.endsAt ?? Infinity);
      const caller =
        parent === null ? owner : ({ role: 'agent', agentId, keyId: parent, keyLevel: level - 1 } as const);
      const body = {
        label: 'a slice',
        expiresAt: endsAt,
        ...bodyOf({ dailyBudget, ...(maxPerPayment === null ? {} : { maxPerPayment }) }),
      };
      const isEnded = reference.hasEnded(parent, time.now());
      if (isEnded) return;
      try {
        const { body: minted } = await operations().delegateKey({
          ...bare,
          caller,
          params: { agentId },
          body,
        });
        const { keyId } = minted as { keyId: string };
        const key = { agentId, parent, level, endsAt, isEnded: false };
        if (!mayBe) judge.find(`8: the key ${keyId} was delegated although it may not be`);
        reference.keys.set(keyId, key);
        reference.change(nodeOfKey(key, keyId), { dailyBudget, maxPerPayment });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        const isUnread = error.code === 'chain_unreachable' && world.engine().remoteWords.unread();
        if (mayBe && !isUnread && error.code !== 'too_many_requests' && !world.isDown())
          judge.find(`8: a key could not be delegated: ${error.message}`);
      }
    },
    sayStop() {
      healDisk();
      const { chain } = world;
      const word = freezeWord(heightOf(chain.slot()));
      chain.say(word);
      judge.phone.said.push(word.signature);
      judge.phone.stops.push({ signature: word.signature, slot: chain.slot() });
    },
    sayAnswer(verb, approvalId) {
      const { chain } = world;
      const url = phoneRequestsFor(world.engine().context, approvalId)[verb];
      if (url === null) return;
      const word = wordFor(url, heightOf(chain.slot()));
      chain.say(word);
      judge.phone.said.push(word.signature);
      judge.phone.answers.add(`${verb} ${approvalId}`);
    },
    phoneStopped() {
      if (judge.phoneStopped()) frozen();
    },
    foundShort(agentId) {
      if (world.isDown()) return;
      // It outlasts the stop of a group.
      if (agentId !== null) reference.stoppedWith.delete(agentId);
      if (agentId === null ? reference.frozen : reference.suspended.has(agentId)) return;
      // The higher balance may have been read before the fork.
      if (!world.chain.hasTakenBack())
        judge.find(`8: ${agentId ?? 'everything'} was stopped for a debit, and there was none`);
      judge.lookAtDecisions();
      if (agentId === null) frozen();
      else suspended(agentId);
    },
    endKey(keyId) {
      const key = reference.keys.get(keyId);
      if (key === undefined) return;
      const params = { agentId: key.agentId, delegatedKeyId: keyId };
      void operations().endDelegatedKey({ ...bare, caller: owner, params });
      endKeys((one) => isBelow(one, keyId));
    },
  };
};

const mostLevels = 3;

const bodyOf = ({ dailyBudget, maxPerPayment, cooldownMs, services, approveAbove }: Partial<Rules>) => ({
  ...(dailyBudget == null ? {} : { dailyBudget: usdc(dailyBudget) }),
  ...(maxPerPayment == null ? {} : { maxPerPayment: usdc(maxPerPayment) }),
  ...(cooldownMs === undefined ? {} : { cooldownSeconds: cooldownMs / 1_000 }),
  ...(services === undefined ? {} : { allowedServices: [...services] }),
  ...(approveAbove === undefined ? {} : { approveAbove: approveAbove === null ? null : usdc(approveAbove) }),
});

const tryTo = (work: () => unknown): boolean => {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
};
