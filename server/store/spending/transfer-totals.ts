// Sums of transfers that are alike, of which the owner's totals are made.
import type { MovedBy, TransferQuery } from '../../engine/ports.ts';
import { transferKinds } from '../../engine/domain/transfer.ts';
import { allStates } from '../../engine/domain/states.ts';
import type { Db } from '../db.ts';
import { mapper } from '../row.ts';
import { condition, undelivered } from '../transfers/transfer-query.ts';

const quarterMs = 900_000;

export const transferTotals =
  (db: Db) =>
  (query: Omit<TransferQuery, 'limit'>, byQuarter: boolean): MovedBy[] => {
    const { from, where, values } = condition(query);
    const rows = db.prepare(/* sql */ `
      SELECT kind, state, coalesce(agent_id, '') AS agent, coalesce(group_id, '') AS in_group,
        coalesce(service_id, '') AS service, ${undelivered} AS undelivered,
        ${byQuarter ? `created_at / ${quarterMs} * ${quarterMs}` : '0'} AS at, sum(amount) AS amount,
        sum(1 + iif(state = 'denied', coalesce((SELECT folded FROM refusal_count WHERE transfer_id = transfer.id), 0), 0)) AS entries
      FROM ${from} ${where === '' ? 'WHERE' : `${where} AND`} asset = 'USDC' GROUP BY 1, 2, 3, 4, 5, 6, 7`);
    return rows.all(values).map(toMoved);
  };

const toMoved = mapper('transfer', (row): MovedBy => ({
  kind: row.word('kind', transferKinds),
  state: row.word('state', allStates),
  agentId: row.text('agent'),
  groupId: row.text('in_group'),
  serviceId: row.text('service'),
  undelivered: row.integer('undelivered') === 1,
  at: row.integer('at'),
  amount: row.usdc('amount'),
  count: row.integer('entries'),
}));
