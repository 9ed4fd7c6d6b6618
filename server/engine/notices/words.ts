// The words of each notice, in plain sentences. Names and reasons are untrusted text. Nothing here is a secret, a prompt or
// a whole address.
import { tellOwner } from '../../contract/refusals/to-owner.ts';
import type { NoticeKind } from '../../contract/notices/notices.ts';
import { plainLine } from '../../lib/plain-line.ts';
import { formatUsdc, type Usdc } from '../../money.ts';
import { amountOf } from '../domain/transfer.ts';
import type { ApprovalKind } from '../domain/approval.ts';
import type { BudgetWindow } from '../limits/windows.ts';
import { foreignDebitWords, outageWords, type ForeignDebitFacts, type OutageFacts } from './trouble-words.ts';
import type {
  Amount,
  ColdTreasury,
  Approval,
  Deposit,
  LimitNode,
  ModelRequest,
  News,
  Transfer,
} from '../ports.ts';

/** The facts of an event, by the kind of its notice. */
export interface Happenings {
  approval: { approval: Pick<Approval, 'id' | 'agentId' | 'kind' | 'shown'> };
  refused: { transfer: Transfer } | { request: ModelRequest & { serviceName: string } };
  /** `service`: the name of the service whose limit it is; null for a budget over all services. */
  budget: {
    agentId: string;
    node: LimitNode;
    window: BudgetWindow;
    spent: Usdc;
    limit: Usdc;
    service: string | null;
  };
  /** `sentence`: a rule's, with its numbers. `subject`: the payment's id, if there is one. */
  unusual: { agentId: string; sentence: string; subject: string | null };
  not_delivered: { transfer: Transfer };
  deposit: { deposit: Amount & Pick<Deposit, 'id' | 'from'> };
  /** An agent’s wallet, or the cold treasury. */
  low_balance: { agentId: string; left: Usdc; limit: Usdc } | { cold: ColdTreasury };
  /** `subject`: the transfer's id. */
  refilled: { agentId: string; amount: Usdc; subject: string };
  frozen: { reason: string };
  halted: { reason: string };
  /** `month`: YYYY-MM. */
  month_changed: { month: string };
  unexplained_debit: ForeignDebitFacts;
  rpc_down: OutageFacts;
  login: { asks: 'login' | 'link'; by: string; subject: string };
  /** An agent's key for a machine, or a phone wallet that may answer for the owner. */
  linked: { agentId: string; machine: string } | { phone: string };
}

export type Happening = { [K in NoticeKind]: { kind: K } & Happenings[K] }[NoticeKind];

/** The name by which the owner knows an agent. */
type NameOf = (agentId: string) => string;

interface Words {
  about: string | null;
  subject: string | null;
  title: string;
  text: string;
}

const nameIn = (text: string): string => plainLine(text, 40);

const approvalWords: Record<ApprovalKind, string> = {
  payment: 'A payment',
  policy: 'A change of its limits',
  allocate: 'An allocation',
  deploy: 'A new agent',
  resume: 'Permission to pay again',
  standing: 'A standing approval',
};

const windowWords: Record<BudgetWindow, string> = {
  day: 'in 24 hours',
  week: 'in 7 days',
  month: 'this month',
  total: 'in all',
};

/** It ends with one mark, also where somebody else’s words had brought theirs. */
const ended = (text: string): string => (/[.!?…]”?$/.test(text) ? text : `${text}.`);

const said = (value: unknown, word: (text: string) => string): string =>
  typeof value === 'string' && value !== '' ? word(value) : '';

const approval = (
  { approval: { id, agentId, kind, shown } }: Happenings['approval'],
  nameOf: NameOf,
): Words => {
  const amount = said(shown['amount'], (text) => ` of ${plainLine(text, 24)} USDC`);
  const service = said(shown['serviceName'], (text) => ` to ${plainLine(text, 60)}`);
  const reason = said(shown['reason'], (text) => ` ${ended(`It says: “${plainLine(text)}”`)}`);
  return {
    about: agentId,
    subject: id,
    title: `${nameIn(nameOf(agentId))} needs your approval`,
    text: `${approvalWords[kind]}${amount}${service}.${reason} Open Agent Treasury to decide.`,
  };
};

const refused = (what: Happenings['refused'], nameOf: NameOf): Words => {
  const ofModel = 'request' in what;
  const { id, agentId, serviceId, serviceName, refusal } = ofModel ? what.request : what.transfer;
  const agentName = nameOf(agentId ?? '');
  const service = serviceId === null ? null : { id: serviceId, name: serviceName };
  const why =
    refusal === null
      ? ''
      : ` ${plainLine(tellOwner({ agentName, service, failure: refusal }).sentence, 200)}`;
  return {
    about: agentId,
    subject: ofModel ? null : id,
    title: `${ofModel ? 'A request to a language model' : 'A payment'} by ${nameIn(agentName)} was refused`,
    text: `${ofModel ? `${plainLine(what.request.model, 60)} at ${plainLine(serviceName, 60)}` : `${amountOf(what.transfer)} ${what.transfer.asset} to ${plainLine(serviceName, 60)}`}.${why}`,
  };
};

const budget = (
  { agentId, node, window, spent, limit, service }: Happenings['budget'],
  nameOf: NameOf,
): Words => {
  const agent = nameIn(nameOf(agentId));
  const holder = {
    key: `The key ${nameIn(node.name)} of ${agent} has`,
    agent: `${agent} has`,
    group: `The group ${nameIn(node.name)} has`,
    treasury: 'All agents together have',
  }[node.kind];
  const whose = node.kind !== 'treasury' ? 'its budget' : 'your limit';
  return {
    about: node.kind === 'treasury' ? null : agentId,
    subject: null,
    title: `${holder} spent over 80% of ${whose}${service === null ? '' : ` at ${nameIn(service)}`}`,
    text: `${formatUsdc(spent)} of ${formatUsdc(limit)} USDC ${windowWords[window]}, with what is reserved.`,
  };
};

/** The answer was larger or later than the caller allowed: the seller is not to blame. */
const callersLimits: readonly unknown[] = ['answer_too_large', 'answer_too_slow'];

const notDelivered = ({ transfer }: Happenings['not_delivered'], nameOf: NameOf): Words => ({
  about: transfer.agentId,
  subject: transfer.id,
  title: 'Paid, but not delivered',
  text: `${plainLine(transfer.serviceName, 60)} was paid ${amountOf(transfer)} ${transfer.asset} by ${nameIn(nameOf(transfer.agentId ?? ''))}${callersLimits.includes(transfer.purchase?.evidence?.['code']) ? ' and delivered more, or later, than its caller allowed' : ', and did not deliver'}.`,
});

const lowBalance = (what: Happenings['low_balance'], nameOf: NameOf): Words => {
  if ('cold' in what) return lowAllowance(what.cold);
  const { agentId, left, limit } = what;
  return {
    about: agentId,
    subject: null,
    title: `${nameIn(nameOf(agentId))} has little money left`,
    text: `It can still spend ${formatUsdc(left)} USDC. You wanted to know below ${formatUsdc(limit)}.`,
  };
};

const lowAllowance = ({ allowance, granted, fault }: ColdTreasury): Words => ({
  about: null,
  subject: null,
  title: 'Little is left to draw on the cold wallet',
  text:
    fault === null
      ? `${formatUsdc(allowance)} of the ${formatUsdc(granted)} USDC that you allowed are left. Set a new allowance before agents run out.`
      : 'Nothing can be drawn on it now: the allowance was revoked, used up or given to another, or the account is closed or frozen.',
});

type WordsOf = { [K in NoticeKind]: (what: Happenings[K], nameOf: NameOf) => Words };

const wordsOf: WordsOf = {
  approval,
  refused,
  budget,
  not_delivered: notDelivered,
  unusual: ({ agentId, sentence, subject }, nameOf) => ({
    about: agentId,
    subject,
    title: `Unusual activity: ${nameIn(nameOf(agentId))}`,
    text: plainLine(sentence, 200),
  }),
  deposit: ({ deposit }) => ({
    about: null,
    subject: deposit.id,
    title: `${amountOf(deposit)} ${deposit.asset} arrived`,
    text: `The treasury received it from ${plainLine(deposit.from)}.`,
  }),
  low_balance: lowBalance,
  refilled: ({ agentId, amount, subject }, nameOf) => ({
    about: agentId,
    subject,
    title: `${nameIn(nameOf(agentId))} was refilled`,
    text: `It gets ${formatUsdc(amount)} USDC from the treasury.`,
  }),
  frozen: ({ reason }) => ({
    about: null,
    subject: null,
    title: 'The treasury is frozen',
    text: `Nothing is paid until you lift this. ${ended(`Why: ${plainLine(reason, 200)}`)}`,
  }),
  month_changed: ({ month }) => ({
    about: null,
    subject: month,
    title: `The closed month ${month} has changed`,
    text: 'Its entries are no longer those that were compared with the chain and closed. A restore of older records does that; nothing else should. Open Books to compare it again.',
  }),
  halted: ({ reason }) => ({
    about: null,
    subject: null,
    title: 'The treasury has halted',
    text: `Nothing more is paid until it is started again. ${ended(`Why: ${plainLine(reason, 200)}`)}`,
  }),
  unexplained_debit: (what, nameOf) => ({
    about: what.agentId,
    subject: what.signature,
    ...foreignDebitWords(what, nameOf),
  }),
  rpc_down: (what) => ({ about: null, subject: null, ...outageWords(what) }),
  login: ({ asks, by, subject }) => ({
    about: null,
    subject,
    title: asks === 'login' ? 'A terminal wants to log in' : 'A machine wants to be linked',
    text: `It calls itself ${nameIn(by)}. Open Agent Treasury to compare its code and decide.`,
  }),
  linked: (what, nameOf) =>
    'phone' in what
      ? {
          about: null,
          subject: null,
          title: 'A phone wallet was registered, or its limits were raised',
          text: `${nameIn(what.phone)} may deny and freeze now, and approve up to its limits in 24 hours. If this was not you, remove it at once.`,
        }
      : {
          about: what.agentId,
          subject: null,
          title: 'A machine was linked',
          text: `${nameIn(what.machine)} now has an API key of ${nameIn(nameOf(what.agentId))}.`,
        },
};

export const newsOf = (what: Happening, nameOf: NameOf): News => {
  // The table pairs each kind with its own words; the compiler cannot follow that through a name.
  const words = wordsOf[what.kind] as (what: Happening, nameOf: NameOf) => Words;
  const { about, subject, title, text } = words(what, nameOf);
  return { kind: what.kind, agentId: about, subject, title, text };
};
