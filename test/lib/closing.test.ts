import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { endInTime } from '../../server/lib/closing.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const soon = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const never = new Promise<never>(() => {});

it('names the parts that have not ended in time, and no others', async () => {
  const ending = endInTime({ quick: soon(10), stuck: never, slow: soon(2_000) }, 1_000);
  const refused = expect(ending).rejects.toThrow(/^still not ended after 1 s: stuck, slow$/);
  await vi.advanceTimersByTimeAsync(1_000);
  await refused;
});

it('ends with the last part, and leaves no timer', async () => {
  const ending = endInTime({ quick: soon(10), slow: soon(900) }, 1_000);
  await vi.advanceTimersByTimeAsync(900);
  await ending;
  expect(vi.getTimerCount()).toBe(0);
});

it('fails as a part does, once the others have ended', async () => {
  let isOver = false;
  const slow = soon(900).then(() => void (isOver = true));
  const ending = endInTime({ broken: Promise.reject(new Error('no disk')), slow }, 1_000);
  const refused = expect(ending.finally(() => expect(isOver).toBe(true))).rejects.toThrow('no disk');
  await vi.advanceTimersByTimeAsync(900);
  await refused;
});

it('keeps the failure of a part beside the names of those that are late', async () => {
  const fault = new Error('no disk');
  const ending = endInTime({ broken: Promise.reject(fault), stuck: never }, 1_000);
  const refused = expect(ending).rejects.toMatchObject({
    message: expect.stringMatching(/: stuck$/),
    cause: fault,
  });
  await vi.advanceTimersByTimeAsync(1_000);
  await refused;
});
