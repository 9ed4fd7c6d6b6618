// What happens to a treasury: deaths, lies, forks, and time.
import { array, constant, constantFrom, integer, oneof, record, subarray, type Arbitrary } from 'fast-check';
import { by, keyOf, smallAmount, via } from './agents.ts';
import { of } from './command.ts';
import type { Act } from '../life.ts';
import { lies, seenThroughAlone } from '../nodes.ts';
import { diskFaults, failCommit } from '../disk-faults.ts';
import { serviceIds } from '../keys.ts';
import { manners } from '../shops.ts';
import { slotMs, type Fate } from '../true-chain.ts';
import { moments } from '../wire.ts';

const nothing = constant(null);
const minute = 60_000;
const day = 86_400_000;

export const kill = of('kill', nothing, (_, __, life) => life.step(life.world.crash, { unflushed: true }));
export const restart = of('restart', nothing, (_, __, life) => life.step(life.world.restart));

export const acts: readonly Act[] = [
  'crash',
  'crash',
  'crash',
  'freeze',
  'suspend ann',
  'policy of ann',
  'stop the team',
  'end a key of ann',
];
const inTheMiddle = record({
  moment: constantFrom(...moments),
  skip: constantFrom(0, 0, 1, 3),
  act: constantFrom(...acts),
});
export const arm = of('in the middle:', inTheMiddle, (armed, _, life) => life.step(() => life.arm(armed)));

const wish = { by, service: constantFrom(...serviceIds), amount: smallAmount };
/** Something happens in the middle of a payment of ann's. */
export const underFire = of(
  'a payment in the middle of which:',
  oneof(
    record({ ...wish, armed: inTheMiddle, via }),
    record({
      ...wish,
      armed: record({
        moment: constantFrom('a seller asked' as const, 'a seller answered' as const),
        skip: constantFrom(0, 1, 1),
        act: constantFrom(...acts),
      }),
      via: constantFrom('receipt' as const, 'x402' as const, 'x402' as const),
    }),
  ),
  ({ armed, by: nth, ...wanted }, memory, life) => {
    const ask = { ...wanted, agentId: 'ann', keyId: keyOf(life, 'ann', nth), key: `k${memory.asks.length}` };
    memory.asks.push(ask);
    return life.step(() => {
      life.arm(armed);
      return life.pay([ask], 30_000);
    });
  },
);

/** The owner does something, and the process dies before anything else happens. */
export const lastAct = of(
  'just before a death:',
  constantFrom('freeze', 'suspend', 'stop the team', 'end a key', 'policy', 'boost', 'deny'),
  (what, _, life) =>
    life.step(() => {
      const key = [...life.reference.keys].find(([, one]) => !one.isEnded)?.[0];
      const waiting = life.judge.approvals.at(-1);
      if (what === 'freeze') life.freeze();
      if (what === 'suspend') life.suspend('bob');
      if (what === 'stop the team') life.stopTeam();
      if (what === 'end a key' && key !== undefined) life.endKey(key);
      if (what === 'boost') life.boost('ann', 500_000n, minute);
      if (what === 'deny' && waiting !== undefined) life.deny(waiting);
      life.world.crash();
    }),
);

/** The process dies, perhaps in the middle of a payment; the phone speaks; and time passes before the next start. */
export const whileDead = of(
  'while it is dead, the phone says',
  record({
    what: constantFrom('stop' as const, 'approve' as const, 'approve' as const, 'deny' as const),
    moment: constantFrom('send begins', 'send begins', 'signed', 'lifetime asked', 'send answered'),
    amount: smallAmount,
    slots: constantFrom(2, 50, 50),
  }),
  ({ what, moment, amount, slots: count }, memory, life) => {
    const ask = {
      agentId: 'ann',
      keyId: null,
      service: 'maps',
      amount,
      via: 'pay' as const,
      key: `k${memory.asks.length}`,
    };
    memory.asks.push(ask);
    return life.step(async () => {
      const waiting = life.judge.approvals.at(-1);
      if (what !== 'stop' && waiting !== undefined) life.sayAnswer(what, waiting);
      life.arm({ moment, skip: 0, act: 'crash' });
      await life.pay([ask], 0);
      life.world.crash();
      if (what === 'stop') life.sayStop();
      life.world.passDown(count * slotMs);
    });
  },
);

const fate: Arbitrary<Fate> = oneof(
  constantFrom<Fate>('answer lost', 'dropped once', 'fails', 'in its last block'),
  constantFrom<Fate>('dropped for ever', 'dropped for ever', 'lands'),
  record({ lateBySlots: integer({ min: 1, max: 160 }) }),
);
export const disk = of(
  'the disk:',
  record({ fault: constantFrom(...diskFaults), skip: integer({ min: 0, max: 6 }) }),
  ({ fault: what, skip }, _, life) =>
    life.step(() => {
      // After a failure nobody knows which rows came before a stop that waits on the chain.
      if (life.judge.phone.said.every((one) => life.world.store().phones.hasWord(one)))
        failCommit(what, skip);
    }),
);
export const fault = of('next transactions', array(fate, { minLength: 1, maxLength: 3 }), (fates, _, life) =>
  life.step(() => life.world.chain.nextFates(fates)),
);
const wholeStory = ['a height from the future', 'no status', 'no history'] as const;
export const lie = of(
  'a node says',
  record({
    node: constantFrom(0 as const, 1 as const),
    told: oneof(
      constant([]),
      constant(['silent' as const]),
      constant([...wholeStory]),
      subarray([...lies], { minLength: 1 }),
    ),
  }),
  ({ node, told }, _, life) =>
    life.step(() => {
      const { nodes, isAlone } = life.world;
      if (isAlone) return nodes[0].tell(seenThroughAlone.filter((one) => one === told[0]));
      nodes[node === 0 ? 1 : 0].tell([]);
      nodes[node].tell(told);
    }),
);
export const fork = of(
  'fork',
  array(constantFrom('lost' as const, 'moved' as const, 'kept' as const), { minLength: 1, maxLength: 4 }),
  (fates, _, life) => life.step(() => life.world.chain.fork((nth) => fates[nth % fates.length] ?? 'kept')),
);

const slots = (count: Arbitrary<number>): Arbitrary<number> => count.map((n) => n * slotMs);
export const tick = of(
  'tick',
  oneof(
    slots(integer({ min: 1, max: 40 })),
    slots(integer({ min: 30, max: 140 })),
    slots(integer({ min: 140, max: 200 })),
    integer({ min: minute, max: 20 * minute }),
    integer({ min: 60 * minute, max: 14 * 60 * minute }),
    integer({ min: day - 5_000, max: day + 1_000 }),
  ),
  (ms, _, life) => life.step(() => life.world.pass(ms)),
);

export const seller = of(
  'a seller',
  record({ service: constantFrom(...serviceIds), manner: constantFrom(...manners) }),
  ({ service, manner }, _, life) => life.step(() => life.world.shops.behave(service, manner)),
);
