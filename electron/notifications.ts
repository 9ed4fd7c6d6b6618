// Notifications for an owner who is looking elsewhere. A pure function makes a notice of an event; a click opens the
// screen, and nothing can be approved from a notice.
import type { OwnerEvent } from '../server/contract/owner-api.ts';
import { tellOwner } from '../server/contract/remedies.ts';
import { inert } from './inert.ts';
import { isOwnersDoing } from './refusal-menu.ts';
import { agentPath } from './tray-menu.ts';

/** The name by which the owner knows an agent. */
type NameOf = (agentId: string) => string;

export interface Notice {
  title: string;
  body: string;
  /** A path of the page's router. */
  path: string;
}

/** At most one notice a minute for each `flood`, with a count of those held back. */
type Floodable = Notice & { flood: string; summary(count: number): Notice };

type Event<T extends OwnerEvent['type']> = Extract<OwnerEvent, { type: T }>['data'];

const refused = (transfer: Event<'transfer'>, nameOf: NameOf) => {
  const { id, status, agentId, amount, currency, service, serviceId, failure } = transfer;
  if (status !== 'denied' || agentId === null || failure === null || isOwnersDoing(failure.code)) return null;
  const agentName = nameOf(agentId);
  const agent = inert(agentName, 40);
  const named = serviceId === null ? null : { id: serviceId, name: service };
  const { sentence, remedies } = tellOwner({ agentName, service: named, failure });
  return {
    title: `A payment by ${agent} was refused`,
    body: `${amount} ${inert(currency, 8)} to ${inert(service, 40)}. ${inert(sentence, 160)}${remedies.length > 0 ? ' Open to change that.' : ''}`,
    path: `/activity/${encodeURIComponent(id)}`,
    flood: `refused ${agentId}`,
    summary: (count: number) => ({
      title:
        count === 1
          ? `One more payment by ${agent} was refused`
          : `${count} more payments by ${agent} were refused`,
      body: 'Within the last minute. Its page says why.',
      path: agentPath(agentId),
    }),
  };
};

const approval = ({ status, agentId, kind, shown, denyAt }: Event<'approval'>, nameOf: NameOf) => {
  if (status !== 'pending' || denyAt !== null) return null;
  const agent = inert(nameOf(agentId), 40);
  const { amount, reason } = shown;
  const says = typeof reason === 'string' ? ` It says: “${inert(reason, 120)}”.` : '';
  return {
    title: `${agent} needs your approval`,
    body: `${wordOf[kind]}${typeof amount === 'string' ? ` of ${inert(amount, 24)} USDC` : ''}.${says} Open to decide.`,
    path: '/approvals',
    flood: `approval ${agentId}`,
    summary: (count: number) => ({
      title:
        count === 1
          ? `One more request by ${agent} is waiting`
          : `${count} more requests by ${agent} are waiting`,
      body: 'Open to decide.',
      path: '/approvals',
    }),
  };
};

const wordOf: Record<Event<'approval'>['kind'], string> = {
  payment: 'A payment',
  policy: 'A policy change',
  allocate: 'An allocation',
  deploy: 'A new agent',
  resume: 'To be allowed to pay again',
};

const login = ({ status, terminal, code }: Event<'login'>) =>
  status === 'pending'
    ? {
        title: 'A terminal wants to log in',
        body: `${inert(terminal, 40)}, code ${inert(code, 16)}. Open to decide.`,
        path: '/approvals',
        flood: 'login',
        summary: (count: number) => ({
          title: count === 1 ? 'One more terminal wants to log in' : `${count} more terminals want to log in`,
          body: 'Open to decide.',
          path: '/approvals',
        }),
      }
    : null;

const link = ({ status, machine, code }: Event<'link'>) =>
  status === 'pending'
    ? {
        title: 'A machine wants to be linked',
        body: `${inert(machine, 40)}, code ${inert(code, 16)}. Open to decide.`,
        path: '/approvals',
        flood: 'link',
        summary: (count: number) => ({
          title:
            count === 1 ? 'One more machine wants to be linked' : `${count} more machines want to be linked`,
          body: 'Open to decide.',
          path: '/approvals',
        }),
      }
    : null;

const budget = ({ agentId, spent, dailyBudget }: Event<'budget'>, nameOf: NameOf) => ({
  title: `${inert(nameOf(agentId), 40)} has spent over 80 % of its budget`,
  body: `${spent} of ${dailyBudget} USDC in 24 hours.`,
  path: agentPath(agentId),
  flood: `budget ${agentId}`,
  summary: () => ({
    title: `${inert(nameOf(agentId), 40)} is near its budget`,
    body: 'Open to see more.',
    path: agentPath(agentId),
  }),
});

const deposit = ({ id, amount, currency, status, from }: Event<'deposit'>) =>
  status === 'confirmed'
    ? {
        title: `${amount} ${inert(currency, 8)} arrived`,
        body: `From ${inert(from, 44)}`,
        path: '/treasury',
        flood: 'deposit',
        once: id,
        summary: (count: number) => ({
          title: count === 1 ? 'One more deposit arrived' : `${count} more deposits arrived`,
          body: 'The treasury’s page lists them.',
          path: '/treasury',
        }),
      }
    : null;

const alarm = (title: string, reason: string | null): Notice => ({
  title,
  body: inert(reason ?? '', 200),
  path: '/',
});

const warning = ({ code, message }: Event<'warning'>): Notice | null => {
  const title = { not_delivered: 'Paid, but not delivered', watch: 'Something unusual' }[code];
  return title === undefined ? null : { title, body: inert(message, 200), path: '/activity' };
};

/** Null for an event without a notice. */
export const noticeOf = (
  event: OwnerEvent,
  nameOf: NameOf,
): Notice | Floodable | (Floodable & { once: string }) | null => {
  switch (event.type) {
    case 'approval':
      return approval(event.data, nameOf);
    case 'login':
      return login(event.data);
    case 'link':
      return link(event.data);
    case 'transfer':
      return refused(event.data, nameOf);
    case 'budget':
      return budget(event.data, nameOf);
    case 'deposit':
      return deposit(event.data);
    case 'halted':
      return alarm('The treasury has halted', event.data.reason);
    case 'freeze':
      return event.data.frozen ? alarm('The treasury is frozen', event.data.reason) : null;
    case 'agent':
    case 'task':
    case 'catalog':
    case 'balance':
    case 'ceiling':
    case 'service':
    case 'lock':
      return null;
    case 'warning':
      return warning(event.data);
  }
};

interface NotifierDeps {
  nameOf: NameOf;
  show(notice: Notice): void;
  enabled(): boolean;
  now(): number;
  /** Calls `work` once, after `ms`. Returns a function that cancels it. */
  later(work: () => void, ms: number): () => void;
}

export interface Notifier {
  take(event: OwnerEvent): void;
  /** The owner is freezing: suppresses the notice of the event that follows. */
  expectFreeze(): void;
  stop(): void;
}

const quietMs = 60_000;
const mostRemembered = 1_000;

export const createNotifier = ({ nameOf, show, enabled, now, later }: NotifierDeps): Notifier => {
  const floods = new Map<string, { missed: number; forget: () => void }>();
  const told = new Set<string>();
  let freezeExpectedUntil = 0;

  const tell = (notice: Notice): void => {
    if (enabled()) show({ title: notice.title, body: notice.body, path: notice.path });
  };
  const open = (notice: Floodable): void => {
    const flood = {
      missed: 0,
      forget: later(() => {
        floods.delete(notice.flood);
        if (flood.missed === 0) return;
        tell(notice.summary(flood.missed));
        open(notice);
      }, quietMs),
    };
    floods.set(notice.flood, flood);
  };
  const isFresh = (id: string): boolean => {
    if (told.has(id)) return false;
    if (told.size >= mostRemembered) told.clear();
    told.add(id);
    return true;
  };

  return {
    take(event) {
      if (event.type === 'freeze' && event.data.frozen && now() < freezeExpectedUntil) return;
      const notice = noticeOf(event, nameOf);
      if (notice === null || ('once' in notice && !isFresh(notice.once))) return;
      if (!('flood' in notice)) return tell(notice);
      const flood = floods.get(notice.flood);
      if (flood !== undefined) {
        flood.missed += 1;
        return;
      }
      tell(notice);
      open(notice);
    },
    expectFreeze() {
      freezeExpectedUntil = now() + 2_000;
    },
    stop() {
      for (const { forget } of floods.values()) forget();
      floods.clear();
    },
  };
};
