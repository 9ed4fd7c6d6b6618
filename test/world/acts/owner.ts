// What the owner does.
import {
  bigInt,
  boolean,
  constant,
  constantFrom,
  integer,
  oneof,
  record,
  subarray,
  tuple,
  type Arbitrary,
} from 'fast-check';
import { agentId, by, keyOf, smallAmount } from './agents.ts';
import { of } from './command.ts';
import { serviceIds } from '../keys.ts';
import type { Life } from '../life.ts';
import { movements } from '../judge/notes.ts';
import type { Rules } from '../judge/reference.ts';

const nothing = constant(null);
const minute = 60_000;
const day = 86_400_000;

/** Mostly the newest, since older ones are decided. */
const approvalIn = ({ judge }: Life, back: number): string | undefined => judge.approvals.at(-1 - back);
const waitingIn = ({ judge }: Life): string[] =>
  judge.approvals.filter((id) => judge.approvalOf(id)?.known.state === 'awaiting_approval');
const back = constantFrom(0, 0, 0, 1, 1, 2, 3);
export const approve = of(
  'approve',
  record({
    back,
    hash: constantFrom('right' as const, 'right' as const, 'wrong' as const),
    twice: boolean(),
  }),
  ({ back: n, hash, twice }, _, life) =>
    life.step(async () => {
      const id = approvalIn(life, n);
      if (id !== undefined) await life.grant(id, hash, twice ? 2 : 1);
    }),
);
export const approveAll = of('approve all', nothing, async (_, __, life) => {
  for (const id of waitingIn(life)) await life.step(() => life.grant(id, 'right', 1));
});
export const deny = of('deny', back, (n, _, life) =>
  life.step(() => {
    const id = approvalIn(life, n);
    if (id !== undefined) life.deny(id);
  }),
);

export const freeze = of('freeze', nothing, (_, __, life) => life.step(life.freeze));
export const unfreeze = of('unfreeze', nothing, (_, __, life) => life.step(life.unfreeze));
export const suspend = of('suspend', agentId, (id, _, life) => life.step(() => life.suspend(id)));
export const resume = of('resume', agentId, (id, _, life) => life.step(() => life.resume(id)));

const rules: Arbitrary<Partial<Rules>> = oneof(
  record({ dailyBudget: constantFrom(500_000n, 1_000_000n, 1_500_000n, 3_000_000n) }),
  record({ maxPerPayment: constantFrom(300_000n, 1_000_000n, 1_100_000n) }),
  record({ cooldownMs: constantFrom(0, 1_000, 20_000) }),
  record({ services: subarray([...serviceIds]) }),
  record({ approveAbove: constantFrom(null, 1n, 200_000n, 500_000n) }),
);
export const policy = of('policy', tuple(agentId, rules), ([id, change], _, life) =>
  life.step(() => life.change(id, change)),
);
export const ceiling = of('ceiling', constantFrom(null, null, 2_000_000n, 5_000_000n), (most, _, life) =>
  life.step(() => life.ceiling(most)),
);

export const moveAgent = of('team', record({ agentId, isIn: boolean() }), ({ agentId: id, isIn }, _, life) =>
  life.step(() => life.move(id, isIn)),
);
const teamRules: Arbitrary<Partial<Rules>> = oneof(
  record({ dailyBudget: constantFrom(1_000_000n, 2_000_000n, 4_000_000n) }),
  record({ maxPerPayment: constantFrom(400_000n, 1_000_000n) }),
  record({ services: subarray([...serviceIds]) }),
);
export const limitTeam = of('limits of the team', teamRules, (change, _, life) =>
  life.step(() => life.limitTeam(change)),
);
export const stopTeam = of('stop the team', nothing, (_, __, life) => life.step(life.stopTeam));
export const resumeTeam = of('resume the team', nothing, (_, __, life) => life.step(life.resumeTeam));

export const boost = of(
  'boost',
  record({
    node: constantFrom('ann' as const, 'bob' as const, 'team' as const, 'all' as const),
    amount: constantFrom(0n, 500_000n, 2_000_000n),
    ms: constantFrom(minute, minute, 60 * minute, 2 * day),
  }),
  ({ node, amount, ms }, _, life) => life.step(() => life.boost(node, amount, ms)),
);

/** From its own key, or one level deeper. */
export const delegate = of(
  'delegate',
  record({
    agentId,
    by,
    dailyBudget: constantFrom(300_000n, 1_000_000n, 2_000_000n),
    maxPerPayment: constantFrom(null, 400_000n),
    ms: constantFrom(10 * minute, day, 5 * day),
  }),
  ({ agentId: id, by: nth, ...slice }, _, life) =>
    life.step(() => life.delegate(id, keyOf(life, id, nth), slice)),
);
export const endKey = of(
  'end a key',
  record({ agentId, nth: integer({ min: 0, max: 2 }) }),
  (which, _, life) =>
    life.step(() => {
      const id = keyOf(life, which.agentId, which.nth);
      if (id !== null) life.endKey(id);
    }),
);

/** A payment that has to wait for a word, and the phone's. */
export const phoneApproves = of(
  'the phone approves a payment of',
  bigInt({ min: 350_000n, max: 700_000n }),
  (amount, memory, life) => {
    const key = `k${memory.asks.length}`;
    const ask = { agentId: 'bob', keyId: null, service: 'maps', amount, key, via: 'pay' as const };
    memory.asks.push(ask);
    return life.step(async () => {
      await life.pay([ask], 0);
      if (life.world.isDown()) return;
      life.judge.lookAtRows();
      for (const id of waitingIn(life)) life.sayAnswer('approve', id);
    });
  },
);

/** Money of the treasury's own: to an agent, back from it, or out. */
export const move = of(
  'the owner moves',
  record({
    via: constantFrom(...movements),
    agentId,
    amount: smallAmount,
    copies: constantFrom(1, 1, 2),
    waitMs: constantFrom(0, 30_000),
  }),
  ({ copies, waitMs, ...wish }, memory, life) => {
    const ask = { ...wish, keyId: null, service: '', key: `k${memory.asks.length}` };
    memory.asks.push(ask);
    return life.step(() =>
      life.pay(
        Array.from({ length: copies }, () => ask),
        waitMs,
      ),
    );
  },
);

export const phoneStop = of('the phone says stop', nothing, (_, __, life) => life.step(life.sayStop));
/** It gives the newest that wait the same answer, all at once. */
export const phoneAnswer = of(
  'the phone answers',
  record({ back, verb: constantFrom('approve' as const, 'approve' as const, 'deny' as const) }),
  ({ back: n, verb }, _, life) =>
    life.step(() => {
      for (const id of waitingIn(life).slice(-1 - n)) life.sayAnswer(verb, id);
    }),
);
