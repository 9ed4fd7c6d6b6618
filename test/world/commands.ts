// The commands that fast-check may give a treasury, with their probabilities.
import {
  asyncModelRun,
  array,
  asyncProperty,
  bigInt,
  boolean,
  commands,
  constant,
  constantFrom,
  integer,
  oneof,
  record,
  subarray,
  tuple,
  type Arbitrary,
  type AsyncCommand,
  type IAsyncProperty,
} from 'fast-check';
import { agentIds, serviceIds } from './keys.ts';
import type { Act, Life } from './life.ts';
import { lies, seenThroughAlone } from './nodes.ts';
import type { Rules } from './reference.ts';
import { slotMs, type Fate } from './true-chain.ts';
import { moments } from './wire.ts';

/** The commands' own state: the keys that were used. */
interface Memory {
  asks: { agentId: string; key: string; service: string; amount: bigint }[];
}
type Command = AsyncCommand<Memory, Life>;

const named = (name: string, run: (memory: Memory, life: Life) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => name,
});

/** An arbitrary of one kind of command, shown with its values. */
const of = <T>(
  name: string,
  values: Arbitrary<T>,
  run: (values: T, memory: Memory, life: Life) => Promise<void>,
): Arbitrary<Command> =>
  values.map((drawn) => named(`${name} ${shown(drawn)}`, (memory, life) => run(drawn, memory, life)));

const shown = (value: unknown): string =>
  value === null
    ? ''
    : JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? Number(one) : one));

const agentId = constantFrom(...agentIds);
const service = constantFrom('maps', 'maps', 'news');
const amount = oneof(bigInt({ min: 1n, max: 1_100_000n }), constantFrom(500_000n, 1_000_000n));
const waitMs = constantFrom(0, 30_000);
const nothing = constant(null);
const minute = 60_000;
const day = 86_400_000;

const pay = of(
  'pay',
  record({ agentId, service, amount, waitMs, copies: constantFrom(1, 1, 1, 3) }),
  ({ waitMs: wait, copies, ...wish }, memory, life) => {
    const ask = { ...wish, key: `k${memory.asks.length}` };
    memory.asks.push(ask);
    return life.step(() =>
      life.pay(
        Array.from({ length: copies }, () => ask),
        wait,
      ),
    );
  },
);

const burst = of(
  'pays at once',
  record({ agentId, service, amounts: array(amount, { minLength: 2, maxLength: 6 }) }),
  ({ amounts, ...wish }, memory, life) => {
    const asks = amounts.map((one, n) => ({ ...wish, amount: one, key: `k${memory.asks.length + n}` }));
    memory.asks.push(...asks);
    return life.step(() => life.pay(asks, 0));
  },
);

const retry = of(
  'retry',
  record({ which: integer({ min: 0, max: 40 }), other: constantFrom('', '', 'amount', 'service'), waitMs }),
  ({ which, other, waitMs: wait }, memory, life) => {
    const ask = memory.asks[which % Math.max(1, memory.asks.length)];
    if (ask === undefined) return Promise.resolve();
    const changed = {
      ...ask,
      ...(other === 'amount' ? { amount: ask.amount + 1n } : {}),
      ...(other === 'service' ? { service: ask.service === 'maps' ? 'news' : 'maps' } : {}),
    };
    return life.step(() => life.pay([changed], wait));
  },
);

/** Mostly the newest, since older ones are decided. */
const approvalIn = ({ judge }: Life, back: number): string | undefined => judge.approvals.at(-1 - back);
const back = constantFrom(0, 0, 0, 1, 1, 2, 3);
const approve = of(
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
const approveAll = of('approve all', nothing, async (_, __, life) => {
  const waiting = life.judge.approvals.filter(
    (id) => life.judge.approvalOf(id)?.known.state === 'awaiting_approval',
  );
  for (const id of waiting) await life.step(() => life.grant(id, 'right', 1));
});
const deny = of('deny', back, (n, _, life) =>
  life.step(() => {
    const id = approvalIn(life, n);
    if (id !== undefined) life.deny(id);
  }),
);

const freeze = of('freeze', nothing, (_, __, life) => life.step(life.freeze));
const unfreeze = of('unfreeze', nothing, (_, __, life) => life.step(life.unfreeze));
const suspend = of('suspend', agentId, (id, _, life) => life.step(() => life.suspend(id)));
const resume = of('resume', agentId, (id, _, life) => life.step(() => life.resume(id)));

const rules: Arbitrary<Partial<Rules>> = oneof(
  record({ dailyBudget: constantFrom(500_000n, 1_500_000n, 3_000_000n, 6_000_000n) }),
  record({ maxPerPayment: constantFrom(300_000n, 1_000_000n, 1_100_000n) }),
  record({ cooldownMs: constantFrom(0, 1_000, 20_000) }),
  record({ services: subarray([...serviceIds]) }),
  record({ approveAbove: constantFrom(null, 1n, 200_000n, 500_000n) }),
);
const policy = of('policy', tuple(agentId, rules), ([id, change], _, life) =>
  life.step(() => life.change(id, change)),
);
const ceiling = of('ceiling', constantFrom(null, null, 2_000_000n, 5_000_000n), (most, _, life) =>
  life.step(() => life.ceiling(most)),
);

const kill = of('kill', nothing, (_, __, life) => life.step(life.world.crash, { unflushed: true }));
const restart = of('restart', nothing, (_, __, life) => life.step(life.world.restart));

const acts: readonly Act[] = ['crash', 'crash', 'crash', 'freeze', 'suspend ann', 'policy of ann'];
const arm = of(
  'in the middle:',
  record({ moment: constantFrom(...moments), skip: constantFrom(0, 0, 1, 3), act: constantFrom(...acts) }),
  (armed, _, life) => life.step(() => life.arm(armed)),
);

const fate: Arbitrary<Fate> = oneof(
  constantFrom<Fate>('answer lost', 'dropped once', 'fails', 'in its last block'),
  constantFrom<Fate>('dropped for ever', 'dropped for ever', 'lands'),
  record({ lateBySlots: integer({ min: 1, max: 160 }) }),
);
const fault = of('next transactions', array(fate, { minLength: 1, maxLength: 3 }), (fates, _, life) =>
  life.step(() => life.world.chain.nextFates(fates)),
);
const wholeStory = ['a height from the future', 'no status', 'no history'] as const;
const lie = of(
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
const fork = of(
  'fork',
  array(constantFrom('lost' as const, 'moved' as const, 'kept' as const), { minLength: 1, maxLength: 4 }),
  (fates, _, life) => life.step(() => life.world.chain.fork((nth) => fates[nth % fates.length] ?? 'kept')),
);

const slots = (count: Arbitrary<number>): Arbitrary<number> => count.map((n) => n * slotMs);
const tick = of(
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

const weights: [number, Arbitrary<Command>][] = [
  [9, pay],
  [3, burst],
  [4, retry],
  [3, approve],
  [2, approveAll],
  [1, deny],
  [1, freeze],
  [2, unfreeze],
  [1, suspend],
  [2, resume],
  [3, policy],
  [1, ceiling],
  [1, kill],
  [1, restart],
  [3, arm],
  [3, fault],
  [2, lie],
  [2, fork],
  [9, tick],
];
const anyCommand = oneof(...weights.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** @param newLife begins a life, and returns a function that ends it */
export const lives = (
  newLife: (isAlone: boolean) => Promise<Life>,
  limits: { maxCommands: number; replayPath?: string },
  watch: { isOver(): boolean; ended(life: Life, isWrong: boolean): void },
): IAsyncProperty<[boolean, Iterable<Command>]> =>
  asyncProperty(
    constantFrom(false, false, true),
    commands([anyCommand], { ...limits, size: 'max' }) as Arbitrary<Iterable<Command>>,
    async (isAlone, drawn) => {
      if (watch.isOver()) return;
      const life = await newLife(isAlone);
      let isWrong = true;
      try {
        await asyncModelRun(() => ({ model: { asks: [] } as Memory, real: life }), drawn);
        await life.finish();
        isWrong = false;
      } finally {
        watch.ended(life, isWrong);
        life.world.end();
      }
    },
  );
