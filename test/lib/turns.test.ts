// A limit on the work in one turn of the event loop, so that many payments leave room for everything else.
import { expect, it } from 'vitest';
import { createTurns } from '../../server/lib/turns.ts';

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('admits a few in a turn, the others in the order of their arrival, and loses none', async () => {
  const turns = createTurns(8);
  const admitted: number[] = [];
  const all = Array.from({ length: 100 }, (_, n) => turns.next().then(() => admitted.push(n)));
  const counts: number[] = [];
  for (let turn = 0; turn < 14; turn += 1) {
    await Promise.resolve();
    counts.push(admitted.length);
    await immediate();
  }
  await Promise.all(all);
  expect(admitted).toEqual(Array.from({ length: 100 }, (_, n) => n));
  expect(counts[0]).toBe(8);
  for (const [turn, count] of counts.entries()) expect(count).toBeLessThanOrEqual(8 * (turn + 1));
});

it('does not delay a single caller', async () => {
  const turns = createTurns(8);
  let other = false;
  for (let n = 0; n < 8; n += 1) {
    setImmediate(() => {
      other = true;
    });
    await turns.next();
    expect(other).toBe(false);
    await immediate();
    other = false;
  }
});
