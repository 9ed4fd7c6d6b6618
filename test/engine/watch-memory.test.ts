// What the watch keeps in mind, in the store.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentMemoryOf } from '../../server/engine/payment/decision/watch-notes.ts';
import { newAgentMemory, newServiceMemory, notePayment } from '../../server/engine/watch/memory.ts';
import { newRhythm, noteRhythm } from '../../server/engine/watch/rhythm.ts';
import { tripsOf } from '../../server/engine/watch/rules.ts';
import { usdc } from '../../server/money.ts';
import { useFolders } from '../harness/folders.ts';
import { openStore } from '../harness/store.ts';

const newFolder = useFolders();
const hourMs = 3_600_000;
const midnight = Date.UTC(2026, 4, 20);
const asked = (now: number) => ({
  now,
  serviceId: 'maps',
  payee: 'maps-wallet',
  amount: 60_000,
  isNewPayee: false,
});

const hourly = (days: number) => {
  const memory = { agent: newAgentMemory(), service: newServiceMemory() };
  for (let hour = -24 * days; hour < 0; hour += 1) notePayment(memory, asked(midnight + hour * hourMs));
  return memory;
};

it('is the same after a restart', () => {
  const file = join(newFolder(), 't.db');
  const { agent } = hourly(5);
  const store = openStore(file);
  store.watch.keepAgent('scout', agent, midnight);
  store.close();
  const again = openStore(file);
  expect(agentMemoryOf(again, 'scout')).toEqual(agent);
  expect(agentMemoryOf(again, 'other')).toEqual(newAgentMemory());
  again.close();
});

it('tells nothing about the rhythm while an older version has kept none', () => {
  const { agent, service } = hourly(5);
  const { rhythm, newPayees, ...older } = agent;
  expect([rhythm.hours.length, newPayees]).toEqual([12, []]);
  const store = openStore(join(newFolder(), 't.db'));
  store.watch.keepAgent('scout', older as typeof agent, midnight);
  const memory = { agent: agentMemoryOf(store, 'scout'), service };
  store.close();
  for (let part = 0; part < 40; part += 1) {
    const now = midnight + part * 360_000;
    expect(tripsOf({ ...memory, asked: asked(now), dailyBudget: usdc(10_000_000n) })).toEqual([]);
    notePayment(memory, asked(now));
  }
});

it('keeps no hour of the rhythm that is still to come after the clock was set back', () => {
  const rhythm = newRhythm();
  noteRhythm(rhythm, midnight + 72 * hourMs, 1);
  noteRhythm(rhythm, midnight, 1);
  expect(rhythm.hours).toEqual([[midnight, 1, 1]]);
  for (let turn = 0; turn < 100; turn += 1) noteRhythm(rhythm, midnight + (turn % 2) * hourMs, 1);
  expect(rhythm.hours.map(([start]) => start)).toEqual([midnight, midnight + hourMs]);
});
