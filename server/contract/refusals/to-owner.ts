// A refusal in the owner's words, and the changes with which the agent's next try succeeds. The agent reads the refusal's
// own message instead. Free of zod, since the renderer reads the table too.
import { addUsdc, formatUsdc, parseUsdc, subUsdc } from '../../money.ts';
import { serviceLimitFields, shownId } from '../limits/service-limits.ts';
import { cancelledWhy } from './cancelled-why.ts';
import { budgetSpans, rateNames, type Remedy } from './remedy.ts';
import { nodeIn, payAgain, type RefusingNode } from './to-agent.ts';
import type { ErrorCode, ErrorDetails } from '../../errors.ts';

export interface Refused {
  /** The agent's display name. */
  agentName: string;
  /** Null where the treasury does not know the service. */
  service: { id: string; name: string } | null;
  failure: { code: string; message: string; details: ErrorDetails };
}

interface Explanation {
  sentence: string;
  remedies: readonly Remedy[];
}

type Words = (refused: Refused, details: Record<string, string>) => Explanation;

const boostBy = (limit: string, spent: string, amount: string): Remedy => ({
  kind: 'boost',
  amount: difference(sum(spent, amount), limit),
});

const overBudget =
  (field: keyof typeof budgetSpans): Words =>
  ({ agentName }, { limit = '', spent = '', amount = '' }) => ({
    sentence: `${agentName} had spent ${spent} of its ${limit} USDC ${budgetSpans[field]}. Another ${amount} USDC did not fit.`,
    remedies: [
      ...(field === 'totalBudget' ? [] : [boostBy(limit, spent, amount)]),
      { kind: 'raise_limit', field, to: sum(spent, amount) },
    ],
  });

/** Null where the refusal's own message says it all. */
const explanations: Readonly<Record<ErrorCode, Words | null>> = {
  max_per_payment: ({ agentName }, { limit = '', amount = '' }) => ({
    sentence: `${agentName} may spend at most ${limit} USDC in one payment. This one was for ${amount} USDC.`,
    remedies: [{ kind: 'raise_limit', field: 'maxPerPayment', to: amount }],
  }),
  daily_budget: overBudget('dailyBudget'),
  weekly_budget: overBudget('weeklyBudget'),
  monthly_budget: overBudget('monthlyBudget'),
  total_budget: overBudget('totalBudget'),
  payment_rate: ({ agentName, failure: { details } }) => {
    const { rule, made } = details;
    const field = rule === 'paymentsPerHour' || rule === 'modelRequestsPerHour' ? rule : 'paymentsPerDay';
    return {
      sentence: `${agentName} had made ${String(made)} ${rateNames[field].join(' in ')}, and you allow ${String(details['limit'])}.`,
      remedies: typeof made === 'number' ? [{ kind: 'raise_rate', field, to: made + 1 }] : [],
    };
  },
  service_limit: (
    { agentName, service },
    { service: serviceId = '', field: named, limit = '', spent = '', amount = '' },
  ) => {
    const field = serviceLimitFields.find((one) => one === named);
    if (field === undefined)
      return noRemedy(
        `The seller of ${shownId(serviceId)}, which you limit, was to be paid under another name.`,
      );
    const to = field === 'maxPerPayment' ? amount : sum(spent, amount);
    const at = service?.name ?? shownId(serviceId);
    return {
      sentence:
        field === 'maxPerPayment'
          ? `${agentName} may spend at most ${limit} USDC in one payment to ${at}. This one was for ${amount} USDC.`
          : `${agentName} had spent ${spent} of its ${limit} USDC ${budgetSpans[field]} at ${at}. Another ${amount} USDC did not fit.`,
      remedies: [{ kind: 'raise_service_limit', serviceId, field, to }],
    };
  },
  outside_hours: ({ agentName }, { limit = '' }) => ({
    sentence: `${agentName} may pay only in these hours: ${limit}.`,
    remedies: [{ kind: 'lift', field: 'activeHours' }],
  }),
  expired: ({ agentName }, { limit = '' }) => ({
    sentence: `You let ${agentName} pay until ${limit.slice(0, 16).replace('T', ' ')} UTC.`,
    remedies: [{ kind: 'lift', field: 'expiresAt' }],
  }),
  owner_ceiling: (_refused, { limit = '', spent = '', amount = '' }) => ({
    sentence: `All agents together had spent ${spent} of your daily limit for all agents, ${limit} USDC. Another ${amount} USDC did not fit.`,
    remedies: [boostBy(limit, spent, amount), { kind: 'raise_ceiling', to: sum(spent, amount) }],
  }),
  service_not_allowed: ({ agentName, service, failure: { details } }) => {
    const sentence = `${agentName} may pay only the services that you chose, and ${service?.name ?? 'this one'} is not among them.`;
    if (service === null) return noRemedy(sentence);
    // To allow the name would be to allow the agent to pay anybody under it.
    if (details['claimed'] === true)
      return noRemedy(
        `${sentence} The name is the agent’s own word: it brought this offer itself, and no payee is pinned for it.`,
      );
    return { sentence, remedies: [{ kind: 'allow_service', serviceId: service.id }] };
  },
  model_not_allowed: ({ agentName }, { model = '' }) => ({
    sentence: `${agentName} may not use the language model ${model}.`,
    remedies: [{ kind: 'allow_model', model }],
  }),
  approval_needed: ({ agentName }, { limit = '', amount = '' }) => ({
    sentence: `${agentName} needs your approval above ${limit} USDC, and this request to a language model could have cost ${amount} USDC. You can give it a standing approval when it asks again.`,
    remedies: [{ kind: 'raise_limit', field: 'approveAbove', to: amount }],
  }),
  service_blocked: ({ service }, { blocked }) => {
    const serviceId = blocked ?? service?.id;
    const isOther = blocked !== undefined && blocked !== service?.id;
    return {
      sentence: isOther
        ? `You blocked ${blocked} for all agents, and ${service?.name ?? 'this service'} is the same seller under another name.`
        : `You blocked ${service?.name ?? 'this service'} for all agents.`,
      remedies: serviceId === undefined ? [] : [{ kind: 'unblock_service', serviceId }],
    };
  },
  insufficient_balance: ({ agentName }, { available = '', amount = '', unit }) => ({
    sentence:
      unit === undefined
        ? `${agentName} had ${available} USDC left to spend, and this payment was for ${amount} USDC.`
        : 'The wallet does not hold that much.',
    remedies:
      unit === undefined ? [{ kind: 'give', amount: difference(amount, available), upTo: amount }] : [],
  }),
  suspended: ({ agentName }) => ({
    sentence: `${agentName} is paused.`,
    remedies: [{ kind: 'resume' }],
  }),
  frozen: () => noRemedy('Everything was frozen.'),
  cooldown: ({ agentName, failure: { details } }) =>
    noRemedy(`${agentName} has to wait ${String(details['limit'])} seconds between two payments.`),
  fee_limit: ({ agentName }) =>
    noRemedy(`${agentName} has used up the network fees that one agent may use in 24 hours.`),
  rent_limit: () =>
    noRemedy(
      'The seller has no USDC account yet, and enough accounts were opened for today. It can be paid tomorrow.',
    ),
  fees_exhausted: () =>
    noRemedy('The treasury has too little SOL for its network fee. Send the treasury some SOL.'),
  approval_denied: (refused) => ({ sentence: 'You declined it.', remedies: trusting(refused) }),
  approval_expired: (refused) => ({
    sentence: `You did not answer in time. ${refused.agentName} can ask again.`,
    remedies: trusting(refused),
  }),
  approval_cancelled: (refused) => ({
    sentence: cancelledWhy(refused.agentName, refused.failure.details),
    remedies: trusting(refused),
  }),
  payment_failed: ({ agentName, failure: { message } }) =>
    noRemedy(message.replace(payAgain, `${agentName} can try again.`)),
  chain_unreachable: ({ agentName }) =>
    noRemedy(`The Solana network could not be reached. Nothing was spent. ${agentName} can try again.`),
  model_unpriced: ({ agentName }) =>
    noRemedy(
      `${agentName} asked for a model that has no price. Set its price, and ${agentName} can ask again.`,
    ),
  field_unbounded: null,
  input_unbounded: null,
  model_ambiguous: null,
  bad_request: null,
  unauthorized: null,
  key_ended: null,
  awaiting_approval: null,
  payment_pending: null,
  forbidden: null,
  not_found: null,
  conflict: null,
  idempotency_conflict: null,
  answer_not_kept: null,
  too_large: null,
  unsupported_media_type: null,
  too_many_requests: null,
  answers_full: null,
  internal: null,
  not_available: null,
  not_delivered: null,
  answer_too_large: null,
  answer_too_slow: null,
  generation_failed: null,
  locked: null,
  halted: null,
  clock_unsafe: null,
  disk_low: null,
};

/** It waited because the seller has no account for USDC yet, which is opened unasked for a trusted seller. */
const trusting = ({ service, failure: { details } }: Refused): readonly Remedy[] =>
  details['because'] === 'open_account' && service !== null
    ? [{ kind: 'trust_seller', serviceId: service.id }]
    : [];

const noRemedy = (sentence: string): Explanation => ({ sentence, remedies: [] });

/**
 * @returns the refusal's own message, and no remedy, for a code that has no words of its own; no remedy for an entry
 *   that counts further refusals either, since their amounts, services and limits may be others
 */
export const tellOwner = (refused: Refused): Explanation => {
  const explained = explainOne(refused);
  return refused.failure.details['counted'] === true ? noRemedy(explained.sentence) : explained;
};

const explainOne = (refused: Refused): Explanation => {
  const { code, message, details } = refused.failure;
  const texts = Object.fromEntries(
    Object.entries(details).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  // A newer treasury may have further codes.
  const words = (explanations as Readonly<Record<string, Words | null>>)[code] ?? null;
  if (words === null) return noRemedy(message);
  const node = nodeIn(details);
  if (node === null || code === 'owner_ceiling') return words(refused, texts);
  const { sentence, remedies } = words({ ...refused, agentName: subjectOf[node.kind](node.name) }, texts);
  const { kind } = node;
  // A delegated key keeps the limits that it was minted with.
  if (kind === 'key') return { sentence, remedies: remedies.filter((remedy) => remedy.kind === 'boost') };
  return {
    sentence,
    remedies: remedies.map((remedy) =>
      kind === 'agent' || remedy.kind === 'boost' ? remedy : { ...remedy, node: { ...node, kind } },
    ),
  };
};

const subjectOf: Record<RefusingNode['kind'], (name: string) => string> = {
  key: (name) => `The delegated key ${name}`,
  agent: (name) => name,
  group: (name) => `The group ${name}`,
  treasury: () => 'The treasury as a whole',
};

const sum = (a: string, b: string): string => combined(a, b, addUsdc);
const difference = (a: string, b: string): string => combined(a, b, subUsdc);

const combined = (a: string, b: string, by: typeof addUsdc): string => {
  const [left, right] = [parseUsdc(a), parseUsdc(b)];
  return left === null || right === null ? a : formatUsdc(by(left, right));
};
