// May this payment be made under the limits of one node? Pure functions of the request and of facts read in the same
// transaction.
import { hoursText } from '../../contract/limits/hours.ts';
import { isModelIn } from '../../contract/limits/policy-field.ts';
import { firstOf } from '../../lib/first-of.ts';
import { formatUsdc } from '../../money.ts';
import type { LimitNode, Refusal } from '../ports.ts';
import { overBudget, overServiceLimit } from './budget-rules.ts';
import type { LimitedPayment, NodeFacts, Rule } from './node-facts.ts';
import { iso, next, retrying } from './retry.ts';
import { rateFields, rateWindows, type RateWindow } from './windows.ts';

/**
 * The first refusal of the node's limits, in this order: its end, the allowed services and models, the maximum per payment,
 * the cooldown, the number of payments in an hour and a day, the hours, the budgets of a day, a week, a month and in all, and
 * the limits at the service. A request to a language model is no payment in number.
 * @param isGranted the owner granted this payment's approval, which waives the cooldown and no other limit
 */
export const refusedByNode = (
  payment: LimitedPayment,
  facts: NodeFacts,
  isGranted: boolean,
): Refusal | null => {
  const refusal = firstRefusal(payment, facts, isGranted);
  return refusal === null ? null : ofNode(refusal, facts);
};

const firstRefusal = (payment: LimitedPayment, facts: NodeFacts, isGranted: boolean): Refusal | null =>
  expiry(payment, facts) ??
  allowedServices(payment, facts) ??
  allowedModels(payment, facts) ??
  maxPerPayment(payment, facts) ??
  (payment.model === undefined ? inNumber(payment, facts, isGranted) : modelRate(facts)) ??
  outsideHours(facts) ??
  overBudget(payment, facts) ??
  overServiceLimit(payment, facts);

const inNumber = (payment: LimitedPayment, facts: NodeFacts, isGranted: boolean): Refusal | null =>
  (isGranted ? null : cooldown(payment, facts)) ?? firstOf(rateWindows, (window) => rate(facts, window));

const above: Record<LimitNode['kind'], string> = {
  key: 'the key that this one was delegated from',
  agent: 'the agent as a whole',
  group: 'the agent’s group',
  treasury: 'all agents together',
};

/**
 * Names the node. Above the node that pays, the message names no limit and no sum; `visibleTo` hides those of the details.
 * @param advice what to do there, where neither time nor a higher limit helps
 */
export const ofNode = (
  { code, message, details }: Refusal,
  { node, isLowest }: NodeFacts,
  advice?: string,
): Refusal => {
  if (isLowest) return { code, message, details };
  const retryAt = typeof details['retryAt'] === 'string' ? Date.parse(details['retryAt']) : null;
  return {
    code,
    message: `A limit on ${above[node.kind]} does not allow this payment. ${advice ?? next(retryAt)}`,
    details: { ...details, node },
  };
};

const expiry: Rule = ({ now }, { limits: { expiresAt } }) =>
  expiresAt === null || now < expiresAt
    ? null
    : {
        code: 'expired',
        message: `The policy ended at ${iso(expiresAt)}. Ask the owner for a later expiresAt.`,
        details: { rule: 'expiresAt', limit: iso(expiresAt) },
      };

const allowedServices: Rule = ({ serviceId }, { limits: { allowedServices: allowed }, isClaimed }) =>
  allowed === null || allowed.length === 0 || allowed.includes(serviceId)
    ? null
    : {
        code: 'service_not_allowed',
        message: `The policy does not allow the service ${serviceId}. Ask the owner to add it to allowedServices.`,
        details: {
          rule: 'allowedServices',
          service: serviceId,
          allowed,
          ...(isClaimed ? { claimed: true } : {}),
        },
      };

/** An agent uses no model that its policy does not name; other nodes may leave the choice to it. */
const allowedModels: Rule = ({ model }, { limits: { allowedModels: allowed } }) =>
  model === undefined || allowed === null || isModelIn(allowed, model)
    ? null
    : {
        code: 'model_not_allowed',
        message: `The policy does not allow the language model ${model}. Ask the owner to add it to allowedModels.`,
        details: { rule: 'allowedModels', model, allowed },
      };

const maxPerPayment: Rule = ({ amount }, { limits: { maxPerPayment: most } }) =>
  most === null || amount <= most
    ? null
    : {
        code: 'max_per_payment',
        message: `${formatUsdc(amount)} USDC is more than the ${formatUsdc(most)} USDC that the policy allows for one payment. Ask the owner for a higher maxPerPayment.`,
        details: {
          rule: 'maxPerPayment',
          limit: formatUsdc(most),
          amount: formatUsdc(amount),
        },
      };

const cooldown: Rule = ({ now }, { limits: { cooldownSeconds: seconds }, lastReservedAt }) => {
  const until = lastReservedAt === null || seconds === null ? 0 : lastReservedAt + seconds * 1_000;
  if (now >= until) return null;
  return {
    code: 'cooldown',
    message: `The policy asks for ${seconds} s between payments. Try again, with a new Idempotency-Key, at ${iso(until)}.`,
    details: { rule: 'cooldownSeconds', limit: seconds, retryAt: iso(until) },
  };
};

const rate = ({ limits, payments, fewerAt }: NodeFacts, window: RateWindow): Refusal | null => {
  const rule = rateFields[window];
  const limit = limits[rule];
  const made = limit === null ? 0 : payments(window);
  if (limit === null || made < limit) return null;
  const retryAt = limit === 0 ? null : fewerAt(window, made - limit + 1);
  return {
    code: 'payment_rate',
    message: `The policy allows ${limit} payments in ${window === 'hour' ? 'an hour' : '24 hours'}, and ${made} were made. ${next(retryAt)}`,
    details: { rule, limit, made, ...retrying(retryAt) },
  };
};

const modelRate = ({ limits: { modelRequestsPerHour: limit }, modelRequests }: NodeFacts): Refusal | null => {
  const sent = limit === null ? 0 : modelRequests();
  if (limit === null || sent < limit) return null;
  return {
    code: 'payment_rate',
    message: `The policy allows ${limit} requests to language models in an hour, and ${sent} were sent. ${next(null)}`,
    details: { rule: 'modelRequestsPerHour', limit, made: sent },
  };
};

const outsideHours = ({ limits: { activeHours }, opensAt }: NodeFacts): Refusal | null => {
  const retryAt = opensAt();
  if (activeHours === null || retryAt === null) return null;
  return {
    code: 'outside_hours',
    message: `The policy allows payments only in these hours: ${hoursText(activeHours)}. ${next(retryAt)}`,
    details: { rule: 'activeHours', limit: hoursText(activeHours), ...retrying(retryAt) },
  };
};
