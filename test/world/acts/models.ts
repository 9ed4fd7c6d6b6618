// What agents do with language models, and what befalls their requests.
import { array, constant, constantFrom, integer, oneof, record } from 'fast-check';
import { agentId, keyOf } from './agents.ts';
import { of } from './command.ts';
import { acts } from './fate.ts';
import { modelService, serviceIds } from '../keys.ts';
import type { Life } from '../life.ts';
import { supplierManners, type ModelWish } from '../suppliers.ts';
import { modelMoments } from '../wire.ts';

const often = ['answers', 'answers', 'answers', 'answers', 'late', 'late'] as const;
const wish = record({
  agentId,
  by: constantFrom(null, null, null, null, 0, 0, 1),
  model: constantFrom('gpt-4-open' as const, 'gpt-4-open' as const, 'deep' as const),
  bytes: integer({ min: 10, max: 2_000 }),
  continues: constantFrom(true, true, false),
  maxTokens: oneof(
    integer({ min: 1, max: 4_000 }),
    integer({ min: 1, max: 2_000 }),
    integer({ min: 1, max: 12_000 }),
  ),
  streams: constantFrom(true, true, false),
  output: oneof(constant(100), integer({ min: 0, max: 100 })),
  cached: integer({ min: 0, max: 100 }),
  manner: constantFrom(...often, ...often, ...supplierManners),
  hangsUpAt: constantFrom(null, null, null, null, 1, 2, 3),
});
const wishes = array(wish, { minLength: 1, maxLength: 6 });
type Drawn = Omit<ModelWish, 'keyId'> & { by: number | null };
const asked = (life: Life, drawn: readonly Drawn[]): ModelWish[] =>
  drawn.map(({ by: nth, ...one }) => ({ ...one, keyId: keyOf(life, one.agentId, nth) }));

export const askModels = of('requests to models', wishes, (drawn, _, life) =>
  life.step(() => life.askModels(asked(life, drawn))),
);
export const askedUnderFire = of(
  'requests in the middle of which:',
  record({
    wishes,
    armed: record({
      moment: constantFrom(...modelMoments),
      skip: integer({ min: 0, max: 5 }),
      act: constantFrom(...acts),
    }),
  }),
  ({ wishes: drawn, armed }, _, life) =>
    life.step(() => {
      life.arm(armed);
      return life.askModels(asked(life, drawn));
    }),
);
export const hangUp = of('clients hang up', constant(null), (_, __, life) => life.step(life.hangUp));

/** Limits that let some requests through. */
export const modelPolicy = of(
  'policy',
  record({
    agentId,
    change: oneof(
      record({ dailyBudget: constantFrom(500_000n, 1_000_000n, 1_500_000n, 3_000_000n) }),
      record({ maxPerPayment: constantFrom(300_000n, 1_000_000n, 1_100_000n) }),
      record({ services: constantFrom([], [], [...serviceIds], [...serviceIds, modelService]) }),
      record({ approveAbove: constantFrom(null, null, 200_000n, 500_000n) }),
    ),
  }),
  ({ agentId: id, change }, _, life) => life.step(() => life.change(id, change)),
);
export const modelTeam = of(
  'limits of the team',
  constantFrom(1_000_000n, 2_000_000n, 4_000_000n),
  (dailyBudget, _, life) => life.step(() => life.limitTeam({ dailyBudget })),
);
