// The sentences that help the owner to decide a request, for page and command alike: why it waits, what such a thing usually
// costs, whether it was asked before, and what it does to the balances.
import { outcomes } from '../payments/outcomes.ts';
import type { Reply } from '../schemas.ts';

type Approval = Reply<'getApproval'>;
type Facts = NonNullable<Approval['facts']>;

const reasons: Record<string, string> = {
  new_payee: 'This agent has never paid this payee before.',
  open_account: 'This seller has no USDC account yet, so paying it opens one.',
  payee_changed: 'This service has changed its payee. If you approve, the new payee is kept.',
};

const saidByAgent =
  'Only the agent says that this payee belongs to this service. If you approve, the payee is kept for it.';

/** Why a payment waits: the watch's own sentence, or the rule that asks. */
export const whyAsked = ({ shown, facts }: Pick<Approval, 'shown' | 'facts'>): string => {
  const because = String(shown['because'] ?? '');
  if (because === 'watch') return `The watch: ${String(shown['watch'] ?? '')}`;
  if (because === 'payee_changed' && shown['saidByAgent'] === true) return saidByAgent;
  if (because !== 'approve_above') return reasons[because] ?? 'Its policy asks for your approval.';
  const above = facts?.askAbove ?? null;
  return above === null
    ? 'It is more than this agent can pay without asking you.'
    : `This agent needs your approval above ${above} USDC.`;
};

const priceOf = ({ listed, usual }: Facts): string | null => {
  const parts = [
    listed === null ? '' : `Listed at ${listed} USDC.`,
    usual === null ? '' : usualText(usual),
  ].filter((part) => part !== '');
  return parts.length === 0 ? null : parts.join(' ');
};

const usualText = ({ least, most, payments }: NonNullable<Facts['usual']>): string =>
  payments === 1
    ? `The only payment so far was ${least} USDC.`
    : `The last ${payments} payments: ${least === most ? `${least} USDC each` : `${least} to ${most} USDC`}.`;

/** The outcome of a request, as lists name it. */
export const requestOutcomes: Record<Approval['status'], string> = {
  pending: outcomes.waiting.label,
  granted: 'Approved',
  denied: outcomes.declined.label,
  expired: 'Not answered in time',
  cancelled: outcomes.declined.label,
};

export const became: Record<Approval['status'], string> = {
  pending: 'waits for you too',
  granted: 'was approved',
  denied: 'was declined',
  expired: 'was not answered in time',
  cancelled: 'was declined',
};

/** The request that is nearest in time stands for the others. */
const sameText = ({ same }: Facts, createdAt: string): string | null => {
  const distance = (one: Facts['same'][number]): number => Date.parse(createdAt) - Date.parse(one.createdAt);
  const [nearest, ...others] = same.toSorted((a, b) => Math.abs(distance(a)) - Math.abs(distance(b)));
  if (nearest === undefined) return null;
  const more = others.length === 0 ? '' : ` ${others.length} more in the same hour.`;
  return `The same request, made ${spanText(distance(nearest))}, ${became[nearest.status]}.${more}`;
};

const spanText = (ms: number): string => {
  const seconds = Math.abs(ms) / 1_000;
  const side = ms < 0 ? 'after it' : 'before it';
  if (seconds < 10) return `${seconds.toFixed(1)} s ${side}`;
  return seconds < 60 ? `${Math.round(seconds)} s ${side}` : `${Math.round(seconds / 60)} min ${side}`;
};

const changeText = ({ before, after }: { before: string; after: string }): string =>
  `${before} → ${after} USDC`;

/** Each with its label. */
export const decidingFacts = ({ facts, createdAt }: Pick<Approval, 'facts' | 'createdAt'>) => {
  if (facts === null) return [];
  const { balances } = facts;
  const lines: readonly (readonly [label: string, text: string | null])[] = [
    ['Usual price', priceOf(facts)],
    ['Asked twice', sameText(facts, createdAt)],
    ['Agent’s balance', balances && changeText(balances.agent)],
    ['Treasury', balances && changeText(balances.treasury)],
  ];
  return lines.flatMap(([label, text]) => (text === null ? [] : [{ label, text }]));
};
