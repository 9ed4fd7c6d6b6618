// The activity's filters. They live in the URL, so that they survive a reload and the back button.
import type { Ask } from '../../../server/contract/owner-api.ts';
import type { Reply } from '../../../server/contract/schemas.ts';

export type Entry = Reply<'activity'>['entries'][number];
type ActivityQuery = NonNullable<Ask<'activity'>['query']>;

export const filterNames = ['agent', 'service', 'kind', 'status', 'from', 'to', 'q'] as const;
export type FilterName = (typeof filterNames)[number];
export type Filters = Partial<Record<FilterName, string>>;

const kinds = ['payment', 'charge', 'allocation', 'recall', 'withdrawal', 'refund'] as const;
const statuses = ['pending', 'awaiting_approval', 'confirmed', 'failed', 'denied', 'unknown'] as const;
const day = /^\d{4}-\d{2}-\d{2}$/;

const isSound: Record<FilterName, (text: string) => boolean> = {
  agent: (text) => text.length <= 64,
  service: (text) => text.length <= 200,
  kind: (text) => (kinds as readonly string[]).includes(text),
  status: (text) => (statuses as readonly string[]).includes(text),
  from: (text) => day.test(text),
  to: (text) => day.test(text),
  q: (text) => text.length <= 200,
};

/** Reads the filters from the URL; invalid values are dropped. */
export const filtersOf = (search: URLSearchParams): Filters =>
  Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = search.get(name)?.trim() ?? '';
      return value !== '' && isSound[name](value) ? [[name, value]] : [];
    }),
  );

/** The URL's search parameters for these filters; empty values are left out. */
export const searchOf = (filters: Filters): Record<string, string> =>
  Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = filters[name] ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );

export const queryOf = ({ agent, service, ...same }: Filters): ActivityQuery =>
  ({
    ...same,
    ...(agent === undefined ? {} : { agentId: agent }),
    ...(service === undefined ? {} : { serviceId: service }),
  }) as ActivityQuery;

/** Whether an entry may match these filters; only the treasury can match free text. */
export const mayShow = (entry: Entry, { agent, service, kind, status }: Filters): boolean =>
  (agent === undefined || entry.agentId === agent) &&
  (service === undefined || entry.serviceId === service) &&
  (kind === undefined || entry.kind === kind) &&
  (status === undefined || entry.status === status);
