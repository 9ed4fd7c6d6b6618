// The words on the button of a remedy.
import { spanOf, type budgetSpans, type Remedy } from './remedies.ts';

const budgetNames: Record<keyof typeof budgetSpans, string> = {
  dailyBudget: 'daily budget',
  weeklyBudget: 'weekly budget',
  monthlyBudget: 'monthly budget',
  totalBudget: 'total budget',
};

/** The label of the button that carries a remedy out. */
export const labelOf = (remedy: Remedy): string => {
  const label = changeIn(remedy);
  if (!('node' in remedy)) return label;
  return `${label} for ${remedy.node.kind === 'group' ? `the group ${remedy.node.name}` : 'all agents'}`;
};

const changeIn = (remedy: Remedy): string => {
  switch (remedy.kind) {
    case 'raise_limit':
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
      return `Allow ${remedy.to} payments in ${spanOf[remedy.field]}`;
    case 'raise_ceiling':
      return `Raise your ceiling to ${remedy.to} USDC`;
    case 'allow_service':
      return 'Allow this service';
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
