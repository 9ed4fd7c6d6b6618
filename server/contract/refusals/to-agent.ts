// A refusal as the agent reads it: its next step, and the details without the numbers of other agents.
import { errorCodes, type ErrorCode, type ErrorDetails } from '../../errors.ts';

/** Ends the message of a payment that the agent can make anew. The owner reads another sentence in its place. */
export const payAgain = 'Pay again with a new Idempotency-Key.';

export type Step = string | ((details: ErrorDetails) => string);

interface NextSteps {
  /** For a model whose tool pays; null where only some tools meet the refusal, which then have a step of their own. */
  model: Step | null;
  /** For a program that uses a client package; null where the time that the refusal names says enough. */
  program: string | null;
}

/** Where waiting helps, the refusal names the time. */
export const at =
  (otherwise: string, or = '') =>
  ({ retryAt }: ErrorDetails): string =>
    typeof retryAt === 'string' ? `Call it again at ${retryAt}${or}.` : otherwise;

export const tooOften =
  (otherwise: string) =>
  ({ retryAfterSeconds }: ErrorDetails): string =>
    typeof retryAfterSeconds === 'number' ? `Call it again in ${retryAfterSeconds} seconds.` : otherwise;

const moreWanted = 'Ask the owner for a higher budget with set_policy.';
const orMore = ', or ask the owner for a higher budget with set_policy';
const samePayment = 'it goes on with the same payment and does not make another';
const byTool = { model: null, program: null };

export const stepsAfter = {
  bad_request: {
    model: 'Correct the arguments and call it again.',
    program: 'Correct the request that the message names.',
  },
  field_unbounded: { model: null, program: 'Leave the field out, or ask the owner to allow it there.' },
  input_unbounded: { model: null, program: 'Send the content itself, as text or as pictures.' },
  model_ambiguous: { model: null, program: 'Name the model as SUPPLIER/ID, by a supplier of the message.' },
  unauthorized: {
    model: 'Tell your user: this agent’s API key does not work here, and the owner can give it another one.',
    program: 'Set TREASURY_AGENT_ID and TREASURY_API_KEY to a working API key, or run: treasury link',
  },
  key_ended: {
    model: 'Tell the agent that delegated this key: it has ended, and another is needed.',
    program: 'Ask for a new key: this one has ended.',
  },
  max_per_payment: {
    model: 'Ask the owner for a higher maxPerPayment with request_budget, or buy something cheaper.',
    program: 'Ask the owner for a higher maxPerPayment, name a higher maximum, or buy something cheaper.',
  },
  daily_budget: {
    model: at(
      'Ask the owner for a higher dailyBudget with request_budget.',
      ', or ask the owner for a higher dailyBudget with request_budget',
    ),
    program: null,
  },
  weekly_budget: { model: at(moreWanted, orMore), program: null },
  monthly_budget: { model: at(moreWanted, orMore), program: null },
  total_budget: { model: moreWanted, program: 'Ask the owner for a higher totalBudget.' },
  payment_rate: { model: at('Ask the owner with set_policy for more payments in that time.'), program: null },
  service_limit: {
    model: at(
      'Buy something cheaper, or tell your user: only the owner can raise the limit at this service.',
      ', or tell your user: only the owner can raise the limit at this service',
    ),
    program: null,
  },
  outside_hours: {
    model: at('Tell your user: only the owner can change the hours in which it pays.'),
    program: null,
  },
  expired: {
    model: 'Tell your user: the owner let it pay until then, and only the owner can set a later end.',
    program: 'Ask the owner for a later end: the agent may pay until then only.',
  },
  owner_ceiling: {
    model: at(
      'Tell your user: the owner’s daily limit for all agents is reached, and only the owner can raise it.',
      ', or tell your user: only the owner can raise the daily limit for all agents',
    ),
    program: null,
  },
  cooldown: { model: at('Call it again after the cooldownSeconds that get_policy returns.'), program: null },
  service_not_allowed: {
    model:
      'Use a service of allowedServices, which get_policy lists, or ask the owner for a longer list with set_policy.',
    program: 'Ask the owner to add the service to allowedServices.',
  },
  model_not_allowed: {
    model: null,
    program: 'Ask the owner to add the model to allowedModels, or use one that the list of models names.',
  },
  approval_needed: {
    model: null,
    program:
      'Repeat it once the owner has granted the approval of approvalId, or ask for fewer output tokens.',
  },
  service_blocked: {
    model: 'Use another service: the owner blocked this one for all agents.',
    program: 'Use another service: the owner blocked this one.',
  },
  model_unpriced: {
    model: null,
    program: 'Ask the owner to enter what this model costs, or use another model.',
  },
  insufficient_balance: {
    model: 'Ask the owner for USDC with allocate_budget.',
    program: "Ask the owner for USDC: the agent's wallet holds too little.",
  },
  fee_limit: {
    model:
      'Call it again in an hour, or tell your user: this agent has used up its network fees for 24 hours.',
    program: null,
  },
  rent_limit: {
    model: at(
      'Pay a service that was paid before, or wait a day: the treasury has opened enough accounts for today.',
      ', or pay a service that was paid before',
    ),
    program: null,
  },
  approval_denied: {
    model: 'Tell your user that the owner declined, and do not ask for the same again.',
    program: 'Do not ask for the same again: the owner declined.',
  },
  approval_expired: {
    model: 'Call it again when your user says that the owner is there: the owner is asked again.',
    program: 'Repeat the request when the owner is there: the owner is asked again.',
  },
  approval_cancelled: {
    model: 'Call it again if you still need it: the owner is asked again.',
    program: 'Repeat the request if you still need it: the owner is asked again.',
  },
  awaiting_approval: {
    model: null,
    program: 'Repeat the same request when the owner has decided: it is paid once.',
  },
  payment_pending: { model: null, program: 'Repeat the same request: it goes on with the same payment.' },
  forbidden: {
    model: 'Tell the agent that delegated this key: the key is not allowed to do this.',
    program: null,
  },
  suspended: {
    model: 'Ask the owner with resume_agent to let this agent pay again.',
    program: 'Ask the owner to resume the agent.',
  },
  frozen: {
    model: 'Tell your user that the owner stopped all payments, and wait until the owner lifts that.',
    program: 'Wait until the owner lifts the freeze.',
  },
  not_found: byTool,
  conflict: byTool,
  idempotency_conflict: byTool,
  answer_not_kept: { model: null, program: 'Name an Idempotency-Key of your own to buy it again.' },
  too_large: { model: 'Shorten the arguments and call it again.', program: null },
  unsupported_media_type: byTool,
  too_many_requests: {
    model: tooOften(
      'Wait until the owner has decided one of your requests (get_approval shows it), and call it again.',
    ),
    program: null,
  },
  answers_full: byTool,
  internal: { model: `Call it again with the same arguments: ${samePayment}.`, program: null },
  not_available: byTool,
  payment_failed: {
    model: 'Call it again if you still need it: nothing was spent.',
    program: 'Repeat the request if you still need it: nothing was spent.',
  },
  not_delivered: {
    model: null,
    program:
      'Do not pay it again. Repeat the same request to show the seller the same payment once more, or tell the owner.',
  },
  answer_too_large: byTool,
  answer_too_slow: byTool,
  generation_failed: byTool,
  chain_unreachable: { model: 'Call it again in a minute: nothing was spent.', program: null },
  fees_exhausted: {
    model: 'Tell your user that the treasury needs SOL for network fees. Nothing was paid.',
    program: 'Ask the owner for SOL: the treasury pays network fees with it.',
  },
  locked: {
    model: `Tell your user that the treasury is locked. Once it is unlocked, call it again with the same arguments: ${samePayment}.`,
    program: 'Ask the owner to unlock the treasury, and repeat the same request.',
  },
  halted: {
    model: `Tell your user that the treasury does not run. When it does, call it again with the same arguments: ${samePayment}.`,
    program: 'Start the treasury, and repeat the same request: it goes on with the same payment.',
  },
  clock_unsafe: {
    model: 'Tell your user that the owner has to look at this machine’s clock. Nothing was paid.',
    program: null,
  },
  disk_low: {
    model: 'Tell your user that the treasury’s disk is full. Nothing was paid.',
    program: "Ask the owner to free space on the treasury's disk. Nothing was paid.",
  },
} as const satisfies Readonly<Record<ErrorCode, NextSteps>>;

/** The steps of one reader, by code; codes without a step for it are left out. */
export const stepsFor = <R extends keyof NextSteps>(
  reader: R,
): Partial<Record<ErrorCode, NonNullable<NextSteps[R]>>> => {
  const all: Readonly<Record<ErrorCode, NextSteps>> = stepsAfter;
  return Object.fromEntries(
    errorCodes.flatMap((code) => {
      const step = all[code][reader];
      return step === null ? [] : [[code, step]];
    }),
  );
};

const kinds = ['key', 'agent', 'group', 'treasury'] as const;

/** The node whose limit refused. */
export interface RefusingNode {
  kind: (typeof kinds)[number];
  id: string;
  name: string;
}

/** Null where the refusal names no node. */
export const nodeIn = ({ node }: ErrorDetails): RefusingNode | null => {
  if (typeof node !== 'object' || node === null || !('kind' in node && 'id' in node && 'name' in node))
    return null;
  const kind = kinds.find((one) => one === node.kind);
  return kind === undefined ? null : { kind, id: String(node.id), name: String(node.name) };
};

/**
 * The id, the name, the limits and the sums of a node above the caller reveal other agents: only its kind stays, and when
 * to try again.
 *
 * @param details of a refusal; those that name no node are returned as they are
 */
export const detailsForAgent = (details: ErrorDetails): ErrorDetails => {
  const { node: named } = details;
  // A node of a kind that this version does not know hides its numbers too.
  const node = typeof named === 'object' && named !== null && 'kind' in named ? { kind: named.kind } : null;
  if (node === null) return details;
  const { retryAt, paymentId } = details;
  return {
    node: { kind: node.kind },
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(paymentId === undefined ? {} : { paymentId }),
  };
};
