// The spending of a period under the activity's filter, by agent and by service.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Query, Reply } from '../../contract/schemas.ts';
import type { EngineContext } from '../calls/call.ts';
import { queryOf } from './filter.ts';
import { periodOf } from './statement.ts';
import { add, summed, told, toldByAgent, toldByService, type Sum, type Sums } from './sums.ts';

/** Rows of one step, some milliseconds; payments go on between two steps. */
const rowsPerStep = 4_000;

export const totalsOf = async (context: EngineContext, query: Query<'totals'>): Promise<Reply<'totals'>> => {
  const { store } = context;
  const filter = queryOf(query);
  const agents: Sums = new Map();
  const services: Sums = new Map();
  const settling: Sum[] = [];
  const { after: oldest, before: newest } = store.transfers.between(periodOf(query));
  for (let before = newest; before > oldest + 1; before -= rowsPerStep) {
    const after = Math.max(oldest, before - 1 - rowsPerStep);
    for (const row of store.transfers.totals({ ...filter, before, after })) {
      add(agents, row.agentId, row);
      add(services, row.serviceId, row);
      settling.push(row.settling);
    }
    await nextTurn();
  }
  return {
    ...told(summed(agents.values())),
    settling: told(summed(settling)),
    agents: toldByAgent(agents),
    services: toldByService(context, services),
  };
};
