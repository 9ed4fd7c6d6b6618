// Work that fails is reported, and repeated all the same.
import { EventEmitter, once } from 'node:events';
import { expect, it } from 'vitest';
import { repeat } from '../../server/lib/repeat.ts';
import { until } from '../harness/treasury.ts';
import { unhandled } from '../harness/unhandled.ts';

const throwing = (): never => {
  throw new Error('at once');
};

it.each([
  ['throws', throwing],
  ['rejects', () => Promise.reject(new Error('later'))],
])('goes on after a run that %s, and reports each', async (_, work) => {
  const rejections = unhandled();
  const failures: unknown[] = [];
  const repeated = repeat(work, 1, (error) => void failures.push(error));
  repeated.start();
  await until('three runs', () => failures.length >= 3);
  await repeated.stop();
  expect(failures.every((error) => error instanceof Error)).toBe(true);
  expect(await rejections()).toEqual([]);
});

it('stops while a run fails: `stop` waits for the report, and no run follows', async () => {
  const rejections = unhandled();
  const told = new EventEmitter();
  let runs = 0;
  let reports = 0;
  const work = async (): Promise<void> => {
    runs += 1;
    told.emit('begun');
    await once(told, 'fail');
    throw new Error('while it stops');
  };
  const repeated = repeat(work, 1, () => void (reports += 1));
  const begun = once(told, 'begun');
  repeated.start();
  await begun;
  const stopped = repeated.stop();
  told.emit('fail');
  await stopped;
  expect([runs, reports]).toEqual([1, 1]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(runs).toBe(1);
  expect(await rejections()).toEqual([]);
});
