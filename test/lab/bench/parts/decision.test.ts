// The store with a long past is written by its own SQL, which a migration may outdate.
import { afterAll, expect, it } from 'vitest';
import { benchDecision } from './decision.ts';
import { createStage } from '../stage.ts';

const stage = createStage();
afterAll(() => stage.end());

it('is measured on a store of today’s layout', async () => {
  const [result] = await benchDecision(stage, 1, {
    payments: 2_000,
    inWindow: 500,
    requests: 200,
    warmUp: 10,
    pairs: 50,
  });
  expect(result?.ours?.p50).toBeGreaterThan(0);
  expect(result?.ratio).toBeGreaterThan(0);
});
