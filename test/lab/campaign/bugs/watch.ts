// Bugs of the watch that a test of the suite has to catch.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const rules = 'test/engine/watch-rules.test.ts';
const decided = 'test/engine/watch.test.ts';
const watching = 'server/engine/payment/decision/watching.ts';

export const bugsOfTheWatch: readonly (Bug & TestTrial)[] = [
  {
    name: 'v01: the baseline includes today',
    edits: one('server/engine/watch/pace.ts', 'day < today && day >=', 'day <= today && day >='),
    file: rules,
    title: 'does not take today for usual',
  },
  {
    name: 'v02: a mute never ends',
    edits: one(
      'server/store/watch.ts',
      'UPDATE watch_mute SET until = ?,',
      'UPDATE watch_mute SET since = ?,',
    ),
    file: decided,
    title: 'which mutes the rule for thirty days',
  },
  {
    name: 'v03: one approval ends the asking',
    edits: one(
      'server/engine/payment/decision/watch-notes.ts',
      '  const memory = memoryOf(store, agentId, serviceId);\n',
      '  store.watch.set(agentId, { ...store.watch.get(agentId), asking: null });\n  const memory = memoryOf(store, agentId, serviceId);\n',
    ),
    file: decided,
    title: 'is not ended by one approval',
  },
  {
    name: 'v04: payments are not kept in mind in the transaction that decides them',
    edits: one(
      watching,
      '    notePayment(memory, askedOf(store, row, now));\n    store.watch.keepService',
      '    setTimeout(() => notePayment(memory, askedOf(store, row, now)), 50);\n    store.watch.keepService',
    ),
    file: decided,
    title: 'lets none of sixteen concurrent payments slip through beyond the threshold',
  },
  {
    name: 'v05: a standing approval serves what the watch holds',
    edits: one(
      'server/engine/payment/decision/judge.ts',
      "new Set(['approve_above', 'new_payee'])",
      "new Set(['approve_above', 'new_payee', 'watch'])",
    ),
    file: decided,
    title: 'is no case for a standing approval',
  },
  {
    name: 'v06: an hour is steady by its payments, also when they are one burst',
    edits: one('server/engine/watch/rhythm.ts', 'part === partOf(now, spans.hour) ? 0 : 1', '1'),
    file: rules,
    title: 'does not trip at one burst, however many payments it has',
  },
];
