// A policy's rules in plain words; the agent's balance plays no part.
import { fieldEntries } from '../../../../server/contract/limits/policy-fields.ts';
import { serviceLimitWords, shownId } from '../../../../server/contract/limits/service-limits.ts';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { formatUsdc, parseUsdc, usdc, type Usdc } from '../../../../server/money.ts';
import { listed } from '../../../../server/contract/listed.ts';
import { counted, groupDigits } from '../../../shared/format.ts';

export type Policy = Reply<'getPolicy'>['policy'];
/** Names by service id, where they are known. */
export type ServiceNames = ReadonlyMap<string, string>;

const mostNames = 3;

/** A sentence for each limit, such as "It can spend up to 5.00 USDC in any 24 hours." */
export const policySentences = (policy: Policy, services: ServiceNames): string[] => {
  const budget = read(policy.dailyBudget);
  const most = read(policy.maxPerPayment);
  const wait = policy.cooldownSeconds;
  if (budget === 0n || most === 0n) {
    return [`It can spend nothing: its ${budget === 0n ? 'daily budget' : 'maximum per payment'} is zero.`];
  }
  return [
    `It can spend up to ${money(budget)} in any 24 hours.`,
    most >= budget ? 'It can spend all of that at once.' : `It can spend at most ${money(most)} at a time.`,
    `It can pay ${servicesOf(policy, services)}.`,
    ...(wait === 0 ? [] : [`It waits ${duration(wait)} after each payment.`]),
    ...further(policy),
    ...Object.entries(policy.serviceLimits ?? {}).map(
      ([id, one]) => `At ${services.get(id) ?? shownId(id)} it can spend at most ${serviceLimitWords(one)}.`,
    ),
    ...modelsOf(policy),
    asking(policy, most < budget ? most : budget),
  ];
};

/** The sentences of fields that have one of their own. */
const further = (policy: Policy): string[] =>
  fieldEntries.flatMap(([name, { kind, sentence }]) => {
    const value = policy[name];
    if (sentence === 'woven' || value === null) return [];
    const stated = kind === 'amount' ? figures(read(String(value))) : value;
    return [(sentence as (stated: unknown) => string)(stated)];
  });

const read = (decimal: string): Usdc => parseUsdc(decimal) ?? usdc(0n);
const figures = (amount: Usdc): string => groupDigits(formatUsdc(amount));
const money = (amount: Usdc): string => `${figures(amount)} USDC`;

const servicesOf = ({ allowedServices }: Policy, services: ServiceNames): string => {
  if (allowedServices.length === 0) return 'any service';
  const names = allowedServices.map((id) => services.get(id) ?? id);
  const more = names.length - mostNames;
  const shown = more > 1 ? [...names.slice(0, mostNames), `${more} other services`] : names;
  return `nothing but ${listed(shown)}`;
};

const modelsOf = ({ allowedModels }: Policy): string[] => {
  if (allowedModels.length === 0) return [];
  return [
    allowedModels.includes('*')
      ? 'It can use every language model of your providers.'
      : `It can use the language models ${listed(allowedModels)}.`,
  ];
};

const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** `90` as `1 minute and 30 seconds`. */
export const duration = (seconds: number): string => {
  let rest = seconds;
  const parts: string[] = [];
  for (const [size, name] of units) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(counted(count, name));
    rest %= size;
  }
  return parts.length === 0 ? 'no time' : listed(parts);
};

/** @param most the largest possible payment */
const asking = ({ approveAbove, newPayees, approvalMinutes }: Policy, most: Usdc): string => {
  const above = approveAbove === null ? null : read(approveAbove);
  const asksAll = above === 0n;
  const cases = [
    ...(above !== null && !asksAll && above < most ? [`pays more than ${money(above)} at a time`] : []),
    ...(newPayees === 'approve' && !asksAll ? ['pays somebody for the first time'] : []),
  ];
  if (!asksAll && cases.length === 0) return 'Within these limits it won’t ask you.';
  const when = asksAll ? 'each payment' : cases.map((text) => `it ${text}`).join(', or ');
  return `It asks you before ${when}; if you don’t answer within ${duration(approvalMinutes * 60)}, the payment is declined.`;
};
