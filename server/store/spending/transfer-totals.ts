// Sums of what was spent among some transfers, by agent and by service.
import type { SpentBy, TransferQuery } from '../../engine/ports.ts';
import type { Db } from '../db.ts';
import { mapper } from '../row.ts';
import { condition } from '../transfers/transfer-query.ts';

/** As the owner reads them: payments and pictures that are paid or under way, less refunds. */
const spent = `(kind IN ('payment', 'charge') AND (is_open = 1 OR state = 'final') OR kind = 'refund' AND state = 'final')`;

export const transferTotals =
  (db: Db) =>
  (query: Omit<TransferQuery, 'limit'>): SpentBy[] => {
    const { from, where, values } = condition(query);
    const rows = db.prepare(/* sql */ `
      SELECT agent_id, coalesce(service_id, '') AS service, sum(iif(kind = 'refund', -amount, amount)) AS amount,
        sum(kind <> 'refund') AS payments, sum(iif(is_open = 1, amount, 0)) AS settling, sum(is_open = 1) AS open
      FROM ${from} ${where === '' ? 'WHERE' : `${where} AND`} ${spent} GROUP BY 1, 2`);
    return rows.all(values).map(toSpentBy);
  };

const toSpentBy = mapper('transfer', (row): SpentBy => ({
  agentId: row.textOrNull('agent_id') ?? '',
  serviceId: row.text('service'),
  amount: row.usdc('amount'),
  payments: row.integer('payments'),
  settling: { amount: row.usdc('settling'), payments: row.integer('open') },
}));
