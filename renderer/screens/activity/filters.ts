// The activity's filters. They live in the URL, so that they survive a reload and the back button.
import type { Ask } from '../../../server/contract/owner-api.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { groupings, kinds, outcomeOf, outcomes } from '../../shared/status.ts';

export type Entry = Reply<'activity'>['entries'][number];
type ActivityQuery = NonNullable<Ask<'activity'>['query']>;

/** Those that choose transfers. */
export const filterNames = ['agent', 'service', 'kind', 'status', 'from', 'to', 'q'] as const;
/** The order of the list, and what its totals are summed by. */
const viewNames = ['sort', 'by'] as const;
const allNames = [...filterNames, ...viewNames];
export type FilterName = (typeof allNames)[number];
export type Filters = Partial<Record<FilterName, string>>;

export const orders = { time: 'Newest first', amount: 'Largest first' } as const;
const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));

const isSound: Record<FilterName, (text: string) => boolean> = {
  agent: (text) => text.length <= 64,
  service: (text) => text.length <= 200,
  kind: (text) => Object.hasOwn(kinds, text),
  status: (text) => Object.hasOwn(outcomes, text),
  from: isDay,
  to: isDay,
  q: (text) => text.length <= 200,
  sort: (text) => Object.hasOwn(orders, text),
  by: (text) => Object.hasOwn(groupings, text),
};

/** Reads the filters from the URL; invalid values are dropped. */
export const filtersOf = (search: URLSearchParams): Filters =>
  Object.fromEntries(
    allNames.flatMap((name) => {
      const value = search.get(name)?.trim() ?? '';
      return value !== '' && isSound[name](value) ? [[name, value]] : [];
    }),
  );

/** The URL's search parameters for these filters; empty values are left out. */
export const searchOf = (filters: Filters): Record<string, string> =>
  Object.fromEntries(
    allNames.flatMap((name) => {
      const value = filters[name] ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );

/** The transfers that a filter chooses, in the treasury's own names. Days are those of the owner's zone. */
export const queryOf = ({ agent, service, status, kind, from, to, q }: Filters): ActivityQuery => {
  const named = { agentId: agent, serviceId: service, outcome: status, kind, from, to, q };
  const given = Object.entries(named).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), zone: 'owner' };
};

/** Whether an entry may match these filters; only the treasury can match free text. */
export const mayShow = (entry: Entry, { agent, service, kind, status }: Filters): boolean =>
  (agent === undefined || entry.agentId === agent) &&
  (service === undefined || entry.serviceId === service) &&
  (kind === undefined || entry.kind === kind) &&
  (status === undefined || outcomeOf(entry) === status);
