// Thousands of random requests that no client would send, by both doors. Gate 8 of the campaign sends a hundred thousand.
import { expect, it } from 'vitest';
import { createDice } from '../../harness/dice.ts';
import { tries } from '../../harness/tries.ts';
import { judge, noFaults, noisyRequest, publicHost } from './noise.ts';
import { payer, treasury } from '../api-treasury.ts';
import { port, useTreasury } from './raw-treasury.ts';
import { sendRaw } from './raw.ts';
import { stateOf } from './state.ts';

useTreasury();

const dice = createDice(4402);
const each = tries(40, 100);

it(`noise of ${50 * each} requests causes no crash, no answer without a credential and no internal detail`, async () => {
  await treasury.client.post('/v1/public-address', { url: `https://${publicHost}` });
  const before = stateOf(treasury.host);
  const faults = noFaults();
  const statuses = new Map<number, number>();
  const worker = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      const bytes = noisyRequest(dice, port, treasury.owner);
      const answer = await sendRaw(port, bytes, 100);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      judge(bytes, answer, faults);
    }
  };
  await Promise.all(Array.from({ length: 50 }, () => worker(each)));
  expect(faults).toEqual(noFaults());
  for (const status of [200, 400, 401, 403]) expect(statuses.get(status), String(status)).toBeGreaterThan(0);
  expect(stateOf(treasury.host)).toBe(before);
  expect((await payer.pay('0.01')).status).toBe(200);
});
