// The short form of the owner's life; `npm run owner-life` is the whole.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openIndependentChain, type IndependentChain } from '../../harness/chain/independent-chain.ts';
import { liveShortly } from './life.ts';
import { hasTerminals, type Person } from './person.ts';

const people: Person[] = [];
let chain: IndependentChain;
beforeAll(async () => {
  chain = await openIndependentChain({ confirmMs: 100, finalizeMs: 500 });
});
afterAll(async () => {
  for (const person of people) await person.leave();
  await chain.end();
});

it.skipIf(!hasTerminals)(
  'an owner begins, moves to a new machine with words and backup, and leaves with all money',
  async () => {
    const steps: string[] = [];
    const setting = { chain, people, hasKeychain: false, sellers: null, eyes: null, outageMs: 0 };
    await liveShortly({ ...setting, done: (step) => void steps.push(step) });
    expect(steps).toContain('left');
  },
);
