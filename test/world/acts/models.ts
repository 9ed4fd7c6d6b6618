// The acts of agents with language models, and what befalls their requests.
import { array, constant, constantFrom, integer, oneof, record } from 'fast-check';
import { agentId, keyOf } from './agents.ts';
import { of } from './command.ts';
import { acts } from './fate.ts';
import { modelService } from '../keys.ts';
import type { Life } from '../life.ts';
import { supplierManners, type ModelWish } from '../suppliers.ts';
import { modelMoments } from '../wire.ts';

const often = ['answers', 'answers', 'late'] as const;
const wish = record({
  agentId,
  by: constantFrom(null, null, null, null, 0, 0, 1),
  model: constantFrom('gpt-4-open' as const, 'gpt-4-open' as const, 'deep' as const),
  bytes: integer({ min: 10, max: 2_000 }),
  continues: constantFrom(true, true, false),
  maxTokens: oneof(integer({ min: 1, max: 4_000 }), integer({ min: 1, max: 12_000 })),
  streams: constantFrom(true, true, false),
  output: oneof(constant(100), integer({ min: 0, max: 100 })),
  cached: integer({ min: 0, max: 100 }),
  manner: constantFrom(...often, ...often, ...often, ...often, ...supplierManners),
  hangsUpAt: constantFrom(null, null, null, null, 1, 2, 3),
});
const wishes = array(wish, { minLength: 1, maxLength: 6 });
const asked = (life: Life, drawn: readonly (Omit<ModelWish, 'keyId'> & { by: number | null })[]) =>
  life.askModels(drawn.map(({ by, ...one }) => ({ ...one, keyId: keyOf(life, one.agentId, by) })));

export const askModels = of('requests to models', wishes, (drawn, _, life) =>
  life.step(() => asked(life, drawn)),
);
const armed = record({
  moment: constantFrom(...modelMoments),
  skip: integer({ min: 0, max: 5 }),
  act: constantFrom(...acts),
});
export const askedUnderFire = of(
  'requests in the middle of which:',
  record({ wishes, armed }),
  ({ wishes: drawn, armed: act }, _, life) =>
    life.step(() => {
      life.arm(act);
      return asked(life, drawn);
    }),
);
export const hangUp = of('clients hang up', constant(null), (_, __, life) => life.step(life.hangUp));

/** Limits that let most requests through. */
export const modelPolicy = of(
  'policy for models',
  record({
    agentId,
    dailyBudget: constantFrom(500_000n, 1_500_000n, 3_000_000n),
    maxPerPayment: constantFrom(100_000n, 1_000_000n, 1_000_000n),
    services: constantFrom([], ['maps', 'news', modelService]),
    approveAbove: constantFrom(null, null, 100_000n),
  }),
  ({ agentId: id, ...change }, _, life) => life.step(() => life.change(id, change)),
);
export const modelTeam = of(
  'limits of the team for models',
  constantFrom(1_000_000n, 4_000_000n),
  (dailyBudget, _, life) => life.step(() => life.limitTeam({ dailyBudget, services: [] })),
);
