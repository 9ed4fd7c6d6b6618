// A rule in words, and the fields of its form.
import type { Reply } from '../../../server/contract/schemas.ts';
import { accountPattern, accountRule } from '../../../server/contract/books/account-names.ts';

export type Rule = Reply<'addBookRule'>;
export type RuleMatch = Pick<Rule, 'payee' | 'serviceId' | 'origin' | 'agentId' | 'groupId'>;

export const conditionLabels = {
  serviceId: 'Service',
  payee: 'Payee',
  origin: 'Origin',
  agentId: 'Agent',
  groupId: 'Group',
} as const satisfies Record<keyof RuleMatch, string>;
export const conditions = Object.keys(conditionLabels) as (keyof RuleMatch)[];

export interface RuleDraft extends Record<keyof RuleMatch, string> {
  account: string;
  costCentre: string;
}

export const draftOf = (rule: Partial<Rule>): RuleDraft => ({
  serviceId: rule.serviceId ?? '',
  payee: rule.payee ?? '',
  origin: rule.origin ?? '',
  agentId: rule.agentId ?? '',
  groupId: rule.groupId ?? '',
  account: rule.account ?? '',
  costCentre: rule.costCentre ?? '',
});

const given = (text: string): string | null => (text.trim() === '' ? null : text.trim());

export const matchOf = (draft: RuleDraft): RuleMatch =>
  Object.fromEntries(conditions.map((field) => [field, given(draft[field])])) as unknown as RuleMatch;

export const hasCondition = (match: RuleMatch): boolean => conditions.some((field) => match[field] !== null);

export const ruleOf = (draft: RuleDraft) => ({
  ...matchOf(draft),
  account: draft.account.trim(),
  costCentre: given(draft.costCentre),
});

/** Null: it can be an account. */
export const accountFault = (text: string): string | null =>
  accountPattern.test(text.trim()) ? null : `It ${accountRule}.`;
