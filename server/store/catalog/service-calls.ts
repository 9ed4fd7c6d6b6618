// How a service's last calls went: what lists are ordered by.
import type { Store } from '../../engine/ports.ts';
import type { Db } from '../db.ts';
import { mapper } from '../row.ts';
import type { ServiceFacts } from './service-rows.ts';

/** How well a service answers is judged by this many calls. */
const lastCalls = 50;

type Call = Parameters<Store['services']['observed']>[1];

/** Records calls. They move an entry a little in lists, and decide nothing. */
export const createObserver = (db: Db): ((facts: ServiceFacts, call: Call) => void) => {
  const enter = db.prepare(
    'INSERT OR REPLACE INTO service_call (number, slot, ok, latency_ms) VALUES (?, ?, ?, ?)',
  );
  const callsOf = db.prepare('SELECT ok, latency_ms FROM service_call WHERE number = ? ORDER BY latency_ms');
  const update = db.prepare(/* sql */ `
    UPDATE service_facts SET calls = calls + 1, successes = successes + @ok, median_latency_ms = @median,
      last_seen_at = iif(@ok, max(coalesce(last_seen_at, @at), @at), last_seen_at), standing = @standing
    WHERE number = @number`);

  return db.transaction(({ number, calls }: ServiceFacts, { at, ok, latencyMs }: Call) => {
    enter.run(number, calls % lastCalls, ok ? 1 : 0, Math.round(latencyMs));
    const last = callsOf.all(number).map(toCall);
    const went = last.filter((call) => call.ok).length;
    const median = middle(last.map((call) => call.latencyMs));
    // As if one more call had succeeded and one had failed: few calls say little.
    update.run({ number, at, ok: ok ? 1 : 0, median, standing: (went + 1) / (last.length + 2) });
  });
};

const middle = (sorted: readonly number[]): number => {
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return Math.round(((low ?? 0) + (high ?? 0)) / 2);
};

const toCall = mapper('service_call', (row) => ({
  ok: row.flag('ok'),
  latencyMs: row.integer('latency_ms'),
}));
