// A remedy: the change that lifts a refusal, and the words on its button.
import type { ServiceLimitField } from '../limits/service-limits.ts';

type BudgetField =
  | 'approveAbove'
  | 'maxPerPayment'
  | 'dailyBudget'
  | 'weeklyBudget'
  | 'monthlyBudget'
  | 'totalBudget';
type RateField = 'paymentsPerHour' | 'paymentsPerDay' | 'modelRequestsPerHour';

/** The group whose limit refused, or the treasury over all agents. Without it, the agent's own policy did. */
interface Above {
  node?: { kind: 'group' | 'treasury'; id: string; name: string };
}

export type Remedy =
  | ({ kind: 'raise_limit'; field: BudgetField; to: string } & Above)
  | ({ kind: 'raise_service_limit'; serviceId: string; field: ServiceLimitField; to: string } & Above)
  | ({ kind: 'raise_rate'; field: RateField; to: number } & Above)
  | ({ kind: 'lift'; field: 'activeHours' | 'expiresAt' } & Above)
  | { kind: 'raise_ceiling'; to: string }
  | ({ kind: 'allow_service'; serviceId: string } & Above)
  | ({ kind: 'allow_model'; model: string } & Above)
  /** Every budget in the way, until midnight. */
  | { kind: 'boost'; amount: string }
  | { kind: 'unblock_service'; serviceId: string }
  | { kind: 'trust_seller'; serviceId: string }
  | { kind: 'give'; amount: string; upTo: string }
  | { kind: 'resume' };

export const budgetSpans = {
  dailyBudget: 'for 24 hours',
  weeklyBudget: 'for 7 days',
  monthlyBudget: 'for the month',
  totalBudget: 'in total',
} as const satisfies Record<Exclude<BudgetField, 'approveAbove' | 'maxPerPayment'>, string>;

/** What is counted, and in which time. */
export const rateNames: Record<RateField, readonly [what: string, span: string]> = {
  paymentsPerHour: ['payments', 'an hour'],
  paymentsPerDay: ['payments', '24 hours'],
  modelRequestsPerHour: ['requests to language models', 'an hour'],
};

const budgetNames: Record<keyof typeof budgetSpans, string> = {
  dailyBudget: 'daily budget',
  weeklyBudget: 'weekly budget',
  monthlyBudget: 'monthly budget',
  totalBudget: 'total budget',
};

/**
 * The label of the button that carries a remedy out.
 * @param isPaused the agent is, so that the button also resumes it
 */
export const labelOf = (remedy: Remedy, isPaused = false): string => {
  const label = changeIn(remedy);
  const node = 'node' in remedy ? remedy.node : undefined;
  const scope =
    node === undefined ? '' : ` for ${node.kind === 'group' ? `the group ${node.name}` : 'all agents'}`;
  return `${label}${scope}${isPaused && remedy.kind !== 'resume' ? ', and resume it' : ''}`;
};

const changeIn = (remedy: Remedy): string => {
  switch (remedy.kind) {
    case 'raise_limit':
      if (remedy.field === 'approveAbove') return `Ask you only above ${remedy.to} USDC`;
      return remedy.field === 'maxPerPayment'
        ? `Allow up to ${remedy.to} USDC per payment`
        : `Raise the ${budgetNames[remedy.field]} to ${remedy.to} USDC`;
    case 'raise_service_limit':
      return remedy.field === 'maxPerPayment'
        ? `Allow up to ${remedy.to} USDC per payment to this service`
        : `Raise the ${budgetNames[remedy.field]} at this service to ${remedy.to} USDC`;
    case 'lift':
      return remedy.field === 'activeHours' ? 'Let it pay at any hour' : 'Let it pay without an end';
    case 'raise_rate':
      return `Allow ${remedy.to} ${rateNames[remedy.field].join(' in ')}`;
    case 'raise_ceiling':
      return `Raise your daily limit for all agents to ${remedy.to} USDC`;
    case 'allow_service':
      return 'Allow this service';
    case 'allow_model':
      return 'Allow this model';
    case 'boost':
      return `Allow ${remedy.amount} USDC more today`;
    case 'unblock_service':
      return 'Unblock it for all agents';
    case 'trust_seller':
      return 'Trust this seller';
    case 'give':
      return `Give it ${remedy.amount} USDC`;
    case 'resume':
      return 'Let it pay again';
  }
};
