// The spending in any span of time, for days of the owner's time zone. Spans that are over are summed once and kept.
import type { SpentIn } from '../../engine/ports.ts';
import type { Db } from '../db.ts';
import { mapper } from '../row.ts';

const dayMs = 86_400_000;
/** Of 90 days in pieces, and those of another time zone. */
const mostKept = 2_000;

interface SpendingSpans {
  between(from: number, to: number, now: number): SpentIn[];
  /** Call when the sums of a day (UTC, since 1970) change. */
  changed(day: number): void;
}

export const createSpendingSpans = (db: Db): SpendingSpans => {
  const ended = db.prepare(/* sql */ `
    SELECT coalesce(agent_id, '') AS agent_id, coalesce(service_id, '') AS service_id, sum(counted_amount) AS amount,
      sum((counted_amount > 0) - (counted_amount < 0)) AS payments, 0 AS requests
    FROM transfer INDEXED BY transfer_window_all
    WHERE counted_at IS NOT NULL AND counted_at >= @from AND counted_at < @to
    GROUP BY 1, 2 HAVING sum(counted_amount <> 0) > 0`);
  // Few rows are open. They are reported as in reported.ts: once they are seen, or their seller has delivered.
  const open = db.prepare(/* sql */ `
    SELECT coalesce(agent_id, '') AS agent_id, coalesce(service_id, '') AS service_id, sum(amount) AS amount,
      count(*) AS payments, 0 AS requests
    FROM transfer INDEXED BY transfer_open
    WHERE is_open = 1 AND kind IN ('payment', 'charge')
      AND (state = 'seen'
        OR EXISTS (SELECT 1 FROM purchase WHERE transfer_id = transfer.id AND delivery = 'delivered'))
      AND max(reserved_at, coalesce(block_time, 0)) >= @from AND max(reserved_at, coalesce(block_time, 0)) < @to
    GROUP BY 1, 2`);
  // A correction is a row of its own, and so is what the owner enters after an older copy: both are no request.
  const requests = db.prepare(/* sql */ `
    SELECT agent_id, service_id, sum(counted_amount) AS amount, 0 AS payments, sum(corrects IS NULL AND wire <> '') AS requests
    FROM model_request INDEXED BY model_request_counted
    WHERE counted_at IS NOT NULL AND counted_at >= @from AND counted_at < @to
    GROUP BY 1, 2`);
  const kept = new Map<string, { from: number; to: number; rows: SpentIn[] }>();
  return {
    between(from, to, now) {
      const key = `${from} ${to}`;
      const known = kept.get(key);
      if (known !== undefined) return known.rows;
      const rows = [ended, open, requests].flatMap((sum) => sum.all({ from, to }).map(toSpent));
      if (to <= now && kept.size < mostKept) kept.set(key, { from, to, rows });
      else if (to <= now) kept.clear();
      return rows;
    },
    changed(day) {
      const [begin, end] = [day * dayMs, (day + 1) * dayMs];
      for (const [key, { from, to }] of kept) if (from < end && to > begin) kept.delete(key);
    },
  };
};

const toSpent = mapper('transfer', (row): SpentIn => ({
  agentId: row.text('agent_id'),
  serviceId: row.text('service_id'),
  amount: row.usdc('amount'),
  payments: row.integer('payments'),
  requests: row.integer('requests'),
}));
