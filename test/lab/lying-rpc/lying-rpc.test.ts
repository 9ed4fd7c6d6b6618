// A few lives behind two RPCs of which the first lies: `npm run lies` lives all of them.
import { expect, it } from 'vitest';
import { damages, lieOf } from './lies.ts';
import type { LifePlan } from './life.ts';
import { liveThrough } from './rounds.ts';

const spoilt = [
  'getSignatureStatuses of other types',
  'getMultipleAccounts huge',
  'getSignatureStatuses without its first',
  'getMultipleAccounts without its last',
  'getSignatureStatuses cut',
];
const schemes = [
  ['known statuses alone', 'never sent'],
  ['statuses of the neighbour', 'sent, and no answer'],
  ['too many requests'],
] as const;
const times = { isOnce: false, hasSecond: true, liesLastMs: 3_000 };
const plans: LifePlan[] = [
  ...damages
    .filter(({ name }) => spoilt.includes(name))
    .map((lie) => ({ name: lie.name, lies: [lie], ...times })),
  ...schemes.map((scheme) => ({ name: scheme.join(' + '), lies: lieOf(scheme), ...times })),
];

it('wins nothing by lies while the other RPC is honest', { timeout: 120_000 }, async () => {
  expect(plans).toHaveLength(spoilt.length + schemes.length);
  const verdicts = await liveThrough(plans, plans.length);
  expect(verdicts.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`))).toEqual([]);
  expect(verdicts.filter(({ lies }) => lies === 0).map(({ name }) => name)).toEqual([]);
});
