// The filter of the activity, of its totals and of a statement, as a query of the store.
import type { TransferKind, TransferQuery } from '../ports.ts';
import { statesOf } from '../calls/views.ts';
import type { TransferStatus } from '../domain/states.ts';

export interface Filter {
  agentId?: string | undefined;
  serviceId?: string | undefined;
  kind?: TransferKind | undefined;
  status?: TransferStatus | undefined;
  q?: string | undefined;
}

export const queryOf = ({ agentId, serviceId, kind, status, q }: Filter): Omit<TransferQuery, 'limit'> => ({
  ...(agentId === undefined ? {} : { agentId }),
  ...(serviceId === undefined ? {} : { serviceId }),
  ...(kind === undefined ? {} : { kinds: [kind] }),
  ...(status === undefined ? {} : { states: statesOf(status) }),
  ...(q === undefined || q === '' ? {} : { text: q }),
});
