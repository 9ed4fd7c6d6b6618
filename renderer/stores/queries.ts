// What the screens read, kept by route and input; events say what is out of date. Nothing asks by the clock.
import { QueryClient, useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { Ask, OwnerEvent, OwnerRoute } from '../../server/contract/owner-api.ts';
import type { Reply } from '../../server/contract/schemas.ts';
import { AppError } from '../../server/errors.ts';
import { ask } from '../api/owner.ts';

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // What a refusal says does not change by asking again.
      retry: (failures, error) => !(error instanceof AppError) && failures < 3,
      staleTime: Infinity,
      refetchOnWindowFocus: true,
    },
  },
});

/** What a screen shows of one route; asked again when an event says that it changed. */
export const useOwner = <N extends OwnerRoute>(
  route: N,
  input: Ask<N> = {} as Ask<N>,
  { enabled = true }: { enabled?: boolean } = {},
): UseQueryResult<Reply<N>> =>
  useQuery({ queryKey: [route, input], queryFn: () => ask(route, input), enabled });

/** Which routes an event makes out of date. */
const changedBy: Record<OwnerEvent['type'], readonly OwnerRoute[]> = {
  transfer: ['activity', 'getTransfer', 'spending', 'spendHistory', 'listGrants', 'getCeiling'],
  approval: ['listApprovals', 'listGrants', 'gallery', 'getTask'],
  login: ['listLogins'],
  link: ['listLinks'],
  task: ['gallery', 'getTask', 'searchServices'],
  catalog: ['listSources', 'searchServices'],
  agent: ['listAgents', 'getPolicy', 'listKeys', 'previewPolicy'],
  ceiling: ['getCeiling'],
  deposit: ['deposits'],
  balance: [],
  budget: [],
  freeze: ['listApprovals'],
  lock: [],
  halted: [],
  warning: [],
};

const coalesceMs = 100;
let waiting: Set<OwnerRoute> | null = null;

/** Asks again, once for many events that come together, for whatever of these a screen shows. */
export const outdate = (names: readonly OwnerRoute[]): void => {
  if (waiting !== null) {
    for (const name of names) waiting.add(name);
    return;
  }
  const due = new Set(names);
  waiting = due;
  setTimeout(() => {
    waiting = null;
    void queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => due.has(name as OwnerRoute) });
  }, coalesceMs);
};

export const outdatedBy = ({ type }: OwnerEvent): void => outdate(changedBy[type]);
export const outdateAll = (): void => void queries.invalidateQueries();
