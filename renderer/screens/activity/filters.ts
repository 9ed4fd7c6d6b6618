// The activity's filters. They live in the URL, so that they survive a reload and the back button.
import type { Ask } from '../../../server/contract/owner-api.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { endOfDay, startOfDay } from '../../shared/time.ts';
import { outcomeOf, outcomes, type Outcome } from '../../shared/status.ts';

export type Entry = Reply<'activity'>['entries'][number];
type ActivityQuery = NonNullable<Ask<'activity'>['query']>;

export const filterNames = ['agent', 'service', 'kind', 'status', 'from', 'to', 'q'] as const;
export type FilterName = (typeof filterNames)[number];
export type Filters = Partial<Record<FilterName, string>>;

const kinds = ['payment', 'charge', 'allocation', 'recall', 'withdrawal', 'refund', 'anchor'] as const;
const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));

const isSound: Record<FilterName, (text: string) => boolean> = {
  agent: (text) => text.length <= 64,
  service: (text) => text.length <= 200,
  kind: (text) => (kinds as readonly string[]).includes(text),
  status: (text) => Object.hasOwn(outcomes, text),
  from: isDay,
  to: isDay,
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

const dayMs = 86_400_000;

/** Days are this machine's own; the treasury reads points in time. */
const periodOf = ({
  from,
  to,
}: {
  from: string | undefined;
  to: string | undefined;
}): { from?: string; to?: string } => ({
  ...(from === undefined ? {} : { from: startOfDay(from) }),
  ...(to === undefined ? {} : { to: endOfDay(to) }),
});

const isOutcome = (status: string | undefined): status is Outcome =>
  status !== undefined && Object.hasOwn(outcomes, status);

/** The treasury has no one status for what settles: it is looked for among the transfers of the last day. */
const statusQuery = (outcome: Outcome, from: string | undefined, now: number): ActivityQuery => {
  const { status } = outcomes[outcome];
  if (status !== null) return { status };
  return from === undefined ? { from: new Date(now - dayMs).toISOString() } : {};
};

/** The treasury has fewer outcomes than the owner sees: `mayShow` drops the others. */
export const queryOf = (
  { agent, service, status, from, to, ...same }: Filters,
  now = Date.now(),
): ActivityQuery =>
  ({
    ...same,
    ...periodOf({ from, to }),
    ...(isOutcome(status) ? statusQuery(status, from, now) : {}),
    ...(agent === undefined ? {} : { agentId: agent }),
    ...(service === undefined ? {} : { serviceId: service }),
  }) as ActivityQuery;

/** Whether an entry may match these filters; only the treasury can match free text. */
export const mayShow = (entry: Entry, { agent, service, kind, status }: Filters): boolean =>
  (agent === undefined || entry.agentId === agent) &&
  (service === undefined || entry.serviceId === service) &&
  (kind === undefined || entry.kind === kind) &&
  (status === undefined || outcomeOf(entry) === status);
