// Each planted bug fits the source, so that gate 10 can plant it. The campaign shows that each is caught.
import { expect, it } from 'vitest';
import { bugsCaughtByTests } from './bugs/caught-by-tests.ts';
import { gates } from './gates.ts';
import { plantedBugs } from './planted-bugs.ts';
import { plant } from './source-copy.ts';

it('each planted bug has a name of its own and fits the source exactly once', () => {
  const all = [...plantedBugs, ...bugsCaughtByTests];
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  const unfit = all.flatMap(({ name, edits }) => {
    try {
      return plant(edits).size > 0 ? [] : [name];
    } catch (error) {
      return [`${name}: ${(error as Error).message}`];
    }
  });
  expect(unfit).toEqual([]);
});

it('each bug that a gate has to catch names a part of a gate', () => {
  const parts = new Set(gates.flatMap(({ number, parts: all }) => all.map((part) => `${number} ${part}`)));
  expect(plantedBugs.filter(({ gate, part }) => !parts.has(`${gate} ${part}`))).toEqual([]);
});
