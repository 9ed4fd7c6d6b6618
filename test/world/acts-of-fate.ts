// What happens to a treasury: deaths, lies, forks, and time.
import { array, constant, constantFrom, integer, oneof, record, subarray, type Arbitrary } from 'fast-check';
import { of } from './command.ts';
import type { Act } from './life.ts';
import { lies, seenThroughAlone } from './nodes.ts';
import { diskFaults, failCommit } from './disk-faults.ts';
import { serviceIds } from './keys.ts';
import { manners } from './shops.ts';
import { slotMs, type Fate } from './true-chain.ts';
import { moments } from './wire.ts';

const nothing = constant(null);
const minute = 60_000;
const day = 86_400_000;

export const kill = of('kill', nothing, (_, __, life) => life.step(life.world.crash, { unflushed: true }));
export const restart = of('restart', nothing, (_, __, life) => life.step(life.world.restart));

const acts: readonly Act[] = [
  'crash',
  'crash',
  'crash',
  'freeze',
  'suspend ann',
  'policy of ann',
  'stop the team',
  'end a key of ann',
];
export const arm = of(
  'in the middle:',
  record({ moment: constantFrom(...moments), skip: constantFrom(0, 0, 1, 3), act: constantFrom(...acts) }),
  (armed, _, life) => life.step(() => life.arm(armed)),
);

const fate: Arbitrary<Fate> = oneof(
  constantFrom<Fate>('answer lost', 'dropped once', 'fails', 'in its last block'),
  constantFrom<Fate>('dropped for ever', 'dropped for ever', 'lands'),
  record({ lateBySlots: integer({ min: 1, max: 160 }) }),
);
export const disk = of(
  'the disk:',
  record({ fault: constantFrom(...diskFaults), skip: integer({ min: 0, max: 6 }) }),
  ({ fault: what, skip }, _, life) => life.step(() => failCommit(what, skip)),
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
