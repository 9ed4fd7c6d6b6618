// What can be done in one life: each step begins with a moment of time and ends with a look at everything.
import { isDeepStrictEqual } from 'node:util';
import type { Call } from '../../../server/engine/ports.ts';
import { AppError } from '../../../server/errors.ts';
import { usdc } from '../../../server/money.ts';
import { agentIds, firstPolicyOf, keyOf } from './keys.ts';
import { createJudge, type Ask, type Judge } from './judge.ts';
import { createReference, mostPending, type Reference, type Rules } from './reference.ts';
import type { SimTime } from './sim-time.ts';
import { heightOf, slotMs } from './true-chain.ts';
import { ahead } from '../lies.ts';
import { createWorld, type Moment, type Place, type World } from './world.ts';

/** Done in the middle of a step. */
export type Act = 'crash' | 'freeze' | 'suspend ann' | 'policy of ann';
export interface Armed {
  moment: Moment;
  skip: number;
  act: Act;
}

export interface Life {
  world: World;
  judge: Judge;
  reference: Reference;
  step(act: () => void | Promise<void>, options?: { unflushed?: boolean }): Promise<void>;
  pay(asks: readonly Ask[], waitMs: number): Promise<void>;
  grant(approvalId: string, hash: 'right' | 'wrong', times: number): Promise<void>;
  deny(approvalId: string): void;
  freeze(): void;
  unfreeze(): void;
  suspend(agentId: string): void;
  resume(agentId: string): void;
  change(agentId: string, change: Partial<Rules>): void;
  ceiling(amount: bigint | null): void;
  arm(armed: Armed): void;
  /** How many there were. */
  steps(): number;
  /** Everything tells the truth; in the end nothing is open. */
  finish(): Promise<void>;
}

interface Told {
  ask: Ask;
  /** What the key meant when it was asked. */
  before: { id: string; service: string; amount: bigint } | undefined;
  wasSilent: boolean;
  stopsBefore: boolean;
  pendingBefore: number;
  /** Its end was on the disk before this was asked. */
  wasOver: boolean;
  answer: { body: Record<string, unknown> } | { error: unknown };
}

const owner = { role: 'owner' } as const;
const bare = { params: {}, query: {}, body: {}, key: null, waitMs: null } as const;

const firstRules = (agentId: string): Rules => {
  const { dailyBudget, maxPerPayment, approveAbove, approvalMinutes } = firstPolicyOf(agentId);
  const approvalMs = approvalMinutes * 60_000;
  return { dailyBudget, maxPerPayment, cooldownMs: 0, services: [], approveAbove, approvalMs };
};

export const createLife = async (
  time: SimTime,
  begin: number,
  template: Buffer,
  place: Place,
): Promise<Life> => {
  const reference = createReference(new Map(agentIds.map((agentId) => [agentId, firstRules(agentId)])));
  let armed: Armed | null = null;
  let told: Told[] = [];
  let wasDown = false;
  let steps = 0;
  const last = new Map<string, unknown>();
  const judge = createJudge(() => world, reference);
  const operations = () => world.engine().operations;

  const onMoment = (moment: Moment): void => {
    if (armed === null) return;
    const isIt =
      armed.moment === moment ||
      (armed.moment === 'anything asked' && moment !== 'signed' && !moment.endsWith('answered')) ||
      (armed.moment === 'anything answered' && moment.endsWith('answered'));
    if (!isIt) return;
    armed.skip -= 1;
    if (armed.skip >= 0) return;
    const { act } = armed;
    armed = null;
    if (act === 'crash') world.crash();
    else queueMicrotask(() => doNow(act));
  };
  const doNow = (act: Act): void => {
    if (world.isDown()) return;
    judge.look();
    if (act === 'freeze') life.freeze();
    else if (act === 'suspend ann') life.suspend('ann');
    else life.change('ann', { maxPerPayment: 500_000n });
  };

  const world: World = createWorld(time, begin, template, place, {
    onMoment,
    onWire: judge.onWire,
    onSigning: judge.onSigning,
    onLanded: judge.onLanded,
  });

  const checkTold = ({ ask, before, answer, ...context }: Told): void => {
    const { agentId, key } = ask;
    const bound = judge.keys.get(`${agentId}/${key}`);
    const name = `key ${agentId}/${key}`;
    if ('error' in answer) {
      const { error } = answer;
      if (!(error instanceof AppError)) return judge.find(`1: ${name} was answered ${String(error)}`);
      checkRefusal(name, ask, error, { before, bound, ...context });
    } else {
      const { paymentId, status, txSignature } = answer.body;
      // Told that it is pending, and then given up unsigned, since the chain was silent.
      const wasFreed = judge.wasFreed(String(paymentId));
      if (bound?.id !== paymentId && !wasFreed)
        judge.find(`1: ${name} was answered with ${String(paymentId)}, and means ${String(bound?.id)}`);
      if (bound !== undefined && (bound.amount !== ask.amount || bound.service !== ask.service))
        judge.find(`1: ${name} was answered with another body under it`);
      if (status === 'confirmed' && !world.chain.everPaid(String(txSignature)))
        judge.find(`5: ${name} was told that it is paid, and it never was`);
    }
    if (context.wasOver) checkReplay(name, ask, answer);
  };

  /** Once a payment has come to its end, its key gives the same answer for ever. */
  const checkReplay = (name: string, ask: Ask, answer: Told['answer']): void => {
    const bound = judge.keys.get(`${ask.agentId}/${ask.key}`);
    if (bound === undefined || bound.amount !== ask.amount || bound.service !== ask.service) return;
    const { body, error } = { body: null, error: null, ...answer };
    const plain =
      error instanceof AppError ? { code: error.code, message: error.message, details: error.details } : body;
    if (error instanceof AppError && error.details?.['paymentId'] !== bound.id) return;
    const before = last.get(bound.id);
    if (before === undefined) last.set(bound.id, plain);
    else if (!isDeepStrictEqual(before, plain))
      judge.find(`1: ${name} was answered ${JSON.stringify(before)} and then ${JSON.stringify(plain)}`);
  };

  const checkRefusal = (
    name: string,
    { agentId, amount, service }: Ask,
    { code, details }: AppError,
    {
      before,
      bound,
      wasSilent,
      stopsBefore,
      pendingBefore,
    }: Omit<Told, 'ask' | 'answer'> & {
      bound: Told['before'];
    },
  ): void => {
    const wasFreed = before !== undefined && judge.wasFreed(before.id);
    const meant = wasFreed ? bound : (before ?? bound);
    const isOther = meant !== undefined && (meant.amount !== amount || meant.service !== service);
    if (code === 'idempotency_conflict') {
      if (!isOther) judge.find(`1: ${name} was refused as another body, which it is not`);
      return;
    }
    if (isOther) return judge.find(`1: ${name} was answered ${code} with another body under it`);
    if (meant !== undefined && details?.['paymentId'] === meant.id) return;
    if (before !== undefined && !wasFreed)
      return judge.find(`1: ${name} was answered ${code} and not with its payment`);
    const waiting = Math.max(pendingBefore, judge.doings.waiting.get(agentId) ?? 0);
    const isRight =
      code === 'frozen' || code === 'suspended'
        ? stopsBefore || reference.stopped(agentId) !== null
        : code === 'chain_unreachable'
          ? wasSilent || !world.nodes[0].isHonest()
          : code === 'too_many_requests' && waiting >= mostPending;
    if (!isRight) judge.find(`1: ${name} was refused with ${code} for no reason`);
  };

  const look = (flushed = false): void => {
    if (world.isDown()) return;
    judge.look(flushed);
    for (const one of told.splice(0)) checkTold(one);
  };
  const stopIfWrong = (): void => {
    if (judge.findings.length > 0) throw new Error(judge.findings.join('\n'));
  };
  const upAgain = async (): Promise<void> => {
    for (let tries = 0; world.isDown(); tries += 1) {
      wasDown = true;
      // What nobody was told any more.
      told = [];
      if (tries > 20) throw new Error('it does not start');
      await world.start();
    }
  };

  const life: Life = {
    world,
    judge,
    reference,
    async step(act, { unflushed = false } = {}) {
      steps += 1;
      if (!unflushed) {
        await world.pass(slotMs);
        await upAgain();
        // What the chain would tell again waits for its commit; what is judged as written is on disk.
        world.store().atomically(() => {});
        look(!wasDown);
        wasDown = false;
      }
      await act();
      await world.settle();
      await upAgain();
      look();
      judge.close();
      stopIfWrong();
    },

    async pay(asks, waitMs) {
      judge.doings.asks.push(...asks);
      const { nodes } = world;
      for (const ask of asks) {
        const { agentId, key, service, amount } = ask;
        const bound = judge.keys.get(`${agentId}/${key}`);
        const context = {
          ask,
          before: bound === undefined ? undefined : { ...bound },
          wasSilent: nodes[0].isSilent(),
          stopsBefore: reference.stopped(agentId) !== null,
          pendingBefore: judge.pending(agentId),
          wasOver: bound !== undefined && judge.isOver(bound.id) && !judge.wasFreed(bound.id),
        };
        const call: Call<'pay'> = {
          caller: { role: 'agent', agentId, keyId: keyOf(agentId) },
          params: { agentId },
          query: {},
          body: { service, amount: usdc(amount), currency: 'USDC', description: '' },
          key,
          waitMs,
        };
        const { pay } = operations();
        void (async () => pay(call))().then(
          ({ body }) => told.push({ ...context, answer: { body: body as Record<string, unknown> } }),
          (error: unknown) => told.push({ ...context, answer: { error } }),
        );
      }
      await world.settle();
    },

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
        operations().denyApproval({ ...bare, caller: owner, params: { approvalId } }),
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
    },
    steps: () => steps,
    arm: (next) => void (armed = { ...next }),

    async finish() {
      armed = null;
      for (const node of world.nodes) node.tell([]);
      world.chain.heal();
      // Signed under a slot from the future, or under a slot for a height, it cannot be judged before the chain is there.
      const gap = world.chain.slot() - heightOf(world.chain.slot());
      for (const slots of [1, 400, 2 * ahead + 400 + Math.ceil(1.2 * gap), 60, 60, 60, 60]) {
        if (slots > 1 && world.store().transfers.open().length === 0) break;
        await life.step(() => world.pass(slots * slotMs));
      }
      judge.atEnd();
      stopIfWrong();
    },
  };
  await world.restart();
  stopIfWrong();
  return life;
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
