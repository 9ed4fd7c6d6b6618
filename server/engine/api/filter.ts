// The filter of the activity, of its totals and of a statement, as a query of the store.
import { namesOf } from '../../contract/agents/agent-names.ts';
import { declinedBy, isSpending, type Outcome } from '../../contract/payments/outcomes.ts';
import { endIn, momentIn } from '../../lib/local-days.ts';
import { statesOf } from '../calls/views.ts';
import { zoneNamed } from '../calls/zone.ts';
import { transferKinds } from '../domain/transfer.ts';
import type { TransferStatus } from '../domain/states.ts';
import type { Store, TransferKind, TransferQuery } from '../ports.ts';

export interface Filter {
  agentId?: string | undefined;
  serviceId?: string | undefined;
  kind?: TransferKind | undefined;
  status?: TransferStatus | undefined;
  outcome?: Outcome | undefined;
  q?: string | undefined;
  /** ISO dates or times, both inclusive; a date is a whole day of the zone. */
  from?: string | undefined;
  to?: string | undefined;
  zone?: string | undefined;
}
type Query = Omit<TransferQuery, 'limit'>;

const kindsThat = (isSpent: boolean): TransferKind[] =>
  transferKinds.filter((kind) => isSpending({ kind }) === isSpent);

/** As `outcomeOf` tells them apart. */
const ofOutcome: Readonly<Record<Outcome, Query & Required<Pick<Query, 'states'>>>> = {
  paid: { states: ['final'], kinds: kindsThat(true), undelivered: false },
  done: { states: ['final'], kinds: kindsThat(false), undelivered: false },
  settling: { states: ['reserved', 'signed', 'sent', 'seen'], undelivered: false },
  undelivered: { states: ['seen', 'final'], undelivered: true },
  waiting: { states: statesOf('awaiting_approval') },
  declined: { states: ['denied'], refusedWith: { codes: declinedBy, is: true } },
  refused: { states: ['denied'], refusedWith: { codes: declinedBy, is: false } },
  failed: { states: statesOf('failed') },
  unknown: { states: ['unknown'] },
};

/** The transfers that match, also by the names that the owner reads. */
export const queryOf = (
  context: { store: Store },
  { agentId, serviceId, kind, status, outcome, q, from, to, zone }: Filter,
): Query & { after: number; before: number } => {
  const { store } = context;
  const {
    kinds = transferKinds,
    states,
    ...more
  } = outcome === undefined ? { states: undefined } : ofOutcome[outcome];
  const ofStatus = status === undefined ? undefined : statesOf(status);
  const named = zoneNamed(context, zone);
  const wanted = ofStatus?.filter((state) => states?.includes(state) ?? true) ?? states;
  return {
    ...more,
    ...store.transfers.between({
      ...(from === undefined ? {} : { from: momentIn(named, from) }),
      ...(to === undefined ? {} : { to: endIn(named, to) - 1 }),
    }),
    ...(agentId === undefined ? {} : { agentId }),
    ...(serviceId === undefined ? {} : { serviceId }),
    ...(kind === undefined && kinds === transferKinds
      ? {}
      : { kinds: kinds.filter((one) => kind === undefined || one === kind) }),
    ...(wanted === undefined ? {} : { states: wanted }),
    ...(q === undefined || q === '' ? {} : { text: q, named: agentsNamed(store, q) }),
  };
};

const agentsNamed = (store: Store, text: string): string[] => {
  const wanted = text.toLowerCase();
  return [...namesOf(store.agents.list())].flatMap(([agentId, name]) =>
    name.toLowerCase().includes(wanted) ? [agentId] : [],
  );
};
