// Notices to the owner: their routes and their kinds.
import { owner, type Route } from '../route.ts';
import { anyChannel } from './channels.ts';

export const noticeRoutes = {
  listNoticeChannels: owner('GET /v1/notices/channels', 'The channels that notices go to; no secrets'),
  addNoticeChannel: owner('POST /v1/notices/channels', `Send notices to ${anyChannel('to')}`),
  changeNoticeChannel: owner(
    'POST /v1/notices/channels/:channelId',
    'Change a channel, or the kinds of notices that go there; only sent fields change',
  ),
  removeNoticeChannel: owner(
    'DELETE /v1/notices/channels/:channelId',
    'Remove a channel; what waits for it fails',
  ),
  testNoticeChannel: owner(
    'POST /v1/notices/channels/:channelId/test',
    'Send a test notice now, and get what the endpoint said',
  ),
  retryNotices: owner(
    'POST /v1/notices/channels/:channelId/retry',
    'Try again now all that waits for a channel after a failed attempt, and all that failed there since its newest delivery',
  ),
  listNotices: owner(
    'GET /v1/notices',
    'The notices of the last 30 days, newest first, and their deliveries',
  ),
  retryNotice: owner(
    'POST /v1/notices/:noticeId/retry',
    'Try a notice again now, for another 24 hours, wherever it waits or has failed',
  ),
  setLowBalance: owner(
    'POST /v1/notices/low-balance',
    'The balance below which an agent’s wallet is low, for all agents or for one',
  ),
} as const satisfies Record<string, Route>;

/** Kinds that an owner chooses together. */
export const noticeGroups = {
  you: 'Waiting for you',
  money: 'Payments and balances',
  safety: 'Safety',
} as const;

export const noticeKinds = {
  approval: { group: 'you', label: 'Approval waiting', when: 'an agent asks for your approval' },
  refused: { group: 'money', label: 'Refused', when: 'a payment of an agent is refused' },
  budget: { group: 'money', label: 'Budget at 80%', when: 'a payment takes spending past 80% of a budget' },
  unusual: { group: 'you', label: 'Unusual', when: 'an agent does something unusual' },
  not_delivered: { group: 'money', label: 'Not delivered', when: 'a seller was paid and did not deliver' },
  deposit: { group: 'money', label: 'Deposit', when: 'USDC, or at least 0.001 SOL, arrives in the treasury' },
  low_balance: {
    group: 'money',
    label: 'Low balance',
    when: 'a payment leaves an agent with less than you set',
  },
  refilled: { group: 'money', label: 'Refilled', when: 'an agent’s wallet is refilled' },
  frozen: { group: 'safety', label: 'Frozen', when: 'everything is stopped' },
  halted: {
    group: 'safety',
    label: 'Halted',
    when: 'the treasury stops because its disk failed or a file of its records was removed',
  },
  month_changed: {
    group: 'safety',
    label: 'Closed month changed',
    when: 'a month that you closed has changed',
  },
  unexplained_debit: {
    group: 'safety',
    label: 'Unexplained debit',
    when: 'money leaves a wallet and no payment explains it: somebody else has its key',
  },
  rpc_down: {
    group: 'safety',
    label: 'Network down',
    when: 'no Solana RPC answers for a minute, and when one answers again',
  },
  login: {
    group: 'you',
    label: 'Login asked',
    when: 'a terminal asks to log in, or a machine asks to be linked',
  },
  linked: { group: 'safety', label: 'Machine linked', when: 'a machine gets an agent’s API key' },
} as const satisfies Record<string, { group: keyof typeof noticeGroups; label: string; when: string }>;

export type NoticeKind = keyof typeof noticeKinds;
export const noticeKindNames = Object.keys(noticeKinds) as NoticeKind[];

interface Trouble {
  waiting: number;
  failed: number;
  answer: string | null;
}

/** What is wrong with a channel, in words. */
export const troubleText = ({ waiting, failed, answer }: Trouble): string => {
  const why = answer === null ? '' : ` (${answer.replace(/\.$/, '')})`;
  const held = waiting === 1 ? 'One notice waits: it' : `${waiting} notices wait: the first`;
  const lost = failed === 1 ? 'The last one failed' : `The last ${failed} failed`;
  return [
    ...(waiting > 0 ? [`${held} could not be delivered${why}.`] : []),
    ...(failed > 0 ? [`${lost}${waiting > 0 ? '' : why}.`] : []),
  ].join(' ');
};

interface DeliveryFacts {
  channel: string;
  state: 'waiting' | 'delivered' | 'failed';
  attempts: number;
  answer: string | null;
}

/** What became of a notice on one channel. */
export const deliveryText = ({ channel, state, attempts, answer }: DeliveryFacts): string => {
  if (state === 'delivered') return `${channel}: delivered`;
  const why = answer === null ? '' : `, ${answer}`;
  if (state === 'failed') return `${channel}: not delivered${why}`;
  if (attempts === 0) return `${channel}: waiting`;
  return `${channel}: tried ${attempts === 1 ? 'once' : `${attempts} times`}${why}`;
};

interface Subject {
  kind: NoticeKind;
  agentId: string | null;
  subject: string | null;
  /** The events that it stands for. */
  count: number;
}

const ofAgent = ({ agentId }: Subject, tab = ''): string =>
  agentId === null ? '/' : `/agents/${encodeURIComponent(agentId)}${tab}`;
const ofPayment = (about: Subject): string =>
  about.subject === null || about.count > 1
    ? ofAgent(about)
    : `/activity/${encodeURIComponent(about.subject)}`;

const places: Record<NoticeKind, (about: Subject) => string> = {
  approval: () => '/approvals',
  login: () => '/approvals',
  refused: ofPayment,
  not_delivered: ofPayment,
  budget: ofAgent,
  unusual: (about) => ofAgent(about, '/watch'),
  low_balance: ofAgent,
  refilled: ofAgent,
  linked: ofAgent,
  deposit: () => '/treasury',
  frozen: () => '/',
  halted: () => '/',
  month_changed: () => '/books',
  unexplained_debit: () => '/',
  rpc_down: () => '/',
};

/** The place of the dashboard that shows what a notice is about. */
export const placeOfNotice = (about: Subject): string => places[about.kind](about);
