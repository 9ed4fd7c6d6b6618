// The screens' queries, cached by route and input. Events invalidate them; nothing polls.
import { QueryClient, useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { Ask, OwnerEvent, OwnerRoute } from '../../server/contract/owner-api.ts';
import type { Reply } from '../../server/contract/schemas.ts';
import { AppError } from '../../server/errors.ts';
import { ask } from '../api/owner.ts';

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Retrying does not change a refusal. After a longer break, the next connection reads everything again.
      retry: (failures, error) => !(error instanceof AppError) && failures < 2,
      retryDelay: 300,
      // The treasury is on this machine: it answers also where the browser has no network.
      networkMode: 'always',
      staleTime: Infinity,
      refetchOnWindowFocus: true,
    },
  },
});

/** One route's reply; read again when an event says that it has changed. */
export const useOwner = <N extends OwnerRoute>(
  route: N,
  input: Ask<N> = {} as Ask<N>,
  { enabled = true }: { enabled?: boolean } = {},
): UseQueryResult<Reply<N>> =>
  useQuery({ queryKey: [route, input], queryFn: () => ask(route, input), enabled });

/** The use of the limits above the agents. */
const limited = ['getCeiling', 'getTreasuryLimits', 'listGroups'] as const satisfies readonly OwnerRoute[];

/** The routes that each event invalidates. */
export const changedBy: Record<OwnerEvent['type'], readonly OwnerRoute[]> = {
  transfer: [
    'activity',
    'getLimits',
    'getRefill',
    'getTransfer',
    'listApprovals',
    'listDelegatedKeys',
    'previewPolicy',
    'spending',
    'spendHistory',
    'listGrants',
    ...limited,
    'totals',
  ],
  approval: ['listApprovals', 'phoneRequests', 'listGrants', 'gallery', 'getTask'],
  login: ['listLogins'],
  link: ['listLinks'],
  task: ['gallery', 'getTask', 'searchServices'],
  catalog: ['listSources', 'searchServices', 'serviceCategories', 'getService'],
  agent: [
    'listAgents',
    'listGroups',
    'getLimits',
    'getPolicy',
    'listKeys',
    'listDelegatedKeys',
    'getRefill',
    'previewPolicy',
    'getWatch',
    'listWatch',
    // A request to a language model has ended.
    'spending',
  ],
  cold: ['getCold'],
  phones: ['listPhoneWallets', 'listPhoneWords', 'phoneRequests'],
  ceiling: [...limited, 'getLimits', 'getTimeZone', 'spending', 'bookMonths', 'bookTotals'],
  service: ['listModelSuppliers', 'searchServices', 'serviceCategories', 'getService', 'unpayableSellers'],
  deposit: ['deposits'],
  balance: ['listApprovals'],
  labels: ['listLabels'],
  freeze: ['listApprovals'],
  lock: [],
  notices: ['listNotices', 'listNoticeChannels'],
  network: [],
  halted: [],
  warning: ['bookMonths'],
};

const coalesceMs = 100;
let waiting: Set<OwnerRoute> | null = null;

/** Invalidates these routes, once for a burst of events; those on screen are read again. */
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

/** Reads these again, and waits for those on screen. */
export const reread = async (...names: readonly OwnerRoute[]): Promise<void> => {
  await Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [name] })));
};

export const outdatedBy = ({ type }: OwnerEvent): void => outdate(changedBy[type]);
export const outdateAll = (): void => void queries.invalidateQueries();
