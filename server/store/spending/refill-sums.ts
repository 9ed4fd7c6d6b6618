// The refills of an agent: the sum of a span, and how the last of them went.
import type { Store } from '../../engine/ports.ts';
import { allStates, isOpen, isVoid } from '../../engine/domain/states.ts';
import type { Db } from '../db.ts';
import { mapper } from '../row.ts';

export const refillSums = (db: Db): Store['transfers']['refills'] => {
  const sums = db.prepare(/* sql */ `
    SELECT coalesce(sum(amount), 0) AS amount, coalesce(sum(fee_lamports), 0) AS fees FROM transfer
    WHERE agent_id = ? AND cause = 'refill' AND (created_at > ? OR is_open = 1)
      AND state NOT IN ('denied', 'cancelled', 'dead', 'failed')`);
  const newest = db.prepare(/* sql */ `
    SELECT state, created_at FROM transfer WHERE agent_id = ? AND cause = 'refill'
    ORDER BY created_at DESC, seq DESC LIMIT 8`);
  return (agentId, since) => {
    const last = newest.all(agentId).map(toRefill);
    const failures = last.findIndex(({ state }) => !isVoid({ state }));
    return {
      ...toSums(sums.get(agentId, since)),
      lastAt: last[0]?.createdAt ?? null,
      failures: failures === -1 ? last.length : failures,
      isOneOpen: last.some(isOpen),
    };
  };
};

const toRefill = mapper('transfer', (row) => ({
  state: row.word('state', allStates),
  createdAt: row.integer('created_at'),
}));
const toSums = mapper('transfer', (row) => ({ refilled: row.usdc('amount'), fees: row.bigint('fees') }));
