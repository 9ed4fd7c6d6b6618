// A model's next step after a refusal, by tool and error code. A pair that is not in the table cannot happen.
import { at, stepsAfter, stepsFor, tooOften, type Step } from '../contract/refusals/to-agent.ts';
import type { AppError, ErrorCode, ErrorDetails } from '../errors.ts';

type Steps = Readonly<Partial<Record<ErrorCode, Step>>>;

const everywhere = {
  bad_request: stepsAfter.bad_request.model,
  unauthorized: stepsAfter.unauthorized.model,
  forbidden: stepsAfter.forbidden.model,
  key_ended: stepsAfter.key_ended.model,
} satisfies Steps;

/** Looks something up. */
const reading = {
  ...everywhere,
  too_many_requests: tooOften('Call it again in a minute.'),
  internal: 'Call it again; if it fails once more, tell your user.',
  halted: 'Tell your user that the treasury does not run, and call it again when it does.',
} satisfies Steps;

/** A list that no host would accept in one message. */
const largeList = { answer_too_large: 'Call it again with a lower limit.' } satisfies Steps;

/** Pays. A repetition with the same arguments goes on with the same payment. */
const paying: Steps = stepsFor('model');

/** Asks the owner, or changes the agent. It is sent without an idempotency key: nothing is promised of a repetition. */
const asking = {
  ...everywhere,
  too_large: stepsAfter.too_large.model,
  too_many_requests: stepsAfter.too_many_requests.model,
  internal: 'Tell your user before you ask again: the owner may have been asked already.',
  halted:
    'Tell your user that the treasury does not run. The owner may have been asked already: when it runs, ask your user before you ask again.',
} satisfies Steps;

const mayHaveChanged = 'Look with get_policy first, and call it again only if nothing has changed.';
const changingPolicy = {
  ...asking,
  internal: mayHaveChanged,
  halted: `Tell your user that the treasury does not run. When it does: ${mayHaveChanged}`,
} satisfies Steps;

const ownAgentAlone = ({ agentId }: ErrorDetails): string =>
  typeof agentId === 'string' ? `Call it again with the agentId ${agentId}.` : everywhere.unauthorized;

const paidTooMuch =
  (argument: string) =>
  ({ paymentId }: ErrorDetails): string =>
    typeof paymentId === 'string'
      ? `Call it again with a higher ${argument} and otherwise the same arguments: it is paid, and is not paid again.`
      : `Call it again with a higher ${argument}: nothing was paid.`;

const keptForADay = ({ paymentId }: ErrorDetails): string =>
  typeof paymentId === 'string'
    ? `Tell your user, who gets it within a day with: treasury payment ${paymentId} --output FILE`
    : 'Call it again with a lower maxBytes.';

export const nextSteps: Readonly<Record<string, Steps>> = {
  check_balance: reading,
  get_policy: reading,
  get_spend_history: { ...reading, ...largeList },
  explain_policy: {
    ...reading,
    not_found: 'Call it again with an id that find_service lists.',
  },
  find_service: { ...reading, ...largeList },
  list_models: reading,
  get_payment: {
    ...reading,
    not_found: 'Call it again with a paymentId that get_spend_history lists.',
    answer_too_large: (details) => keptForADay(details),
  },
  get_approval: {
    ...reading,
    not_found: 'Call it again with the approvalId of the answer that said awaiting_approval.',
  },
  get_task: {
    ...reading,
    not_found: 'Call it again with the taskId that generate_image answered.',
  },
  pay: {
    ...paying,
    not_found:
      'Call it again with an id that find_service lists, or buy it by its URL with paid_fetch, which needs no id.',
    bad_request: 'Correct the arguments and call it again, or buy it by its URL with paid_fetch.',
    not_available: 'Use another service, which find_service lists, or tell your user.',
  },
  paid_fetch: {
    ...paying,
    bad_request:
      'Correct the arguments and call it again. Only the owner can allow a URL on this machine: tell your user.',
    max_per_payment: ({ rule }) =>
      rule === 'maxAmount'
        ? 'Call it again with a higher maxAmount, or do without.'
        : stepsAfter.max_per_payment.model,
    conflict:
      'Call it again with a maxAmount of at least details.amount for the answer: it is paid, and is not paid again.',
    not_available: 'Use another seller, which find_service lists, or tell your user. Nothing was paid.',
    not_delivered:
      'Do not pay for it again. Call it again with the same arguments to show the seller the same payment once more; if that does not help, tell your user, with the paymentId.',
    answer_too_large: ({ forHost, ...details }) =>
      forHost === true ? keptForADay(details) : paidTooMuch('maxBytes')(details),
    answer_too_slow: paidTooMuch('timeoutSeconds'),
    answers_full: ({ paymentId }) =>
      typeof paymentId === 'string'
        ? 'Call it again with a lower maxBytes and otherwise the same arguments: it is paid, and is not paid again.'
        : 'Call it again with a lower maxBytes: nothing was paid.',
  },
  /** A call of a tool behind the proxy. */
  proxied_call: {
    ...paying,
    not_found: 'Tell your user: the owner has to register this MCP server, with the command above.',
    conflict: 'Tell your user. Nothing was paid.',
    not_available: 'Use another tool, or tell your user. Nothing was paid.',
    too_large: 'Use another tool, or tell your user. Nothing was paid.',
    not_delivered:
      'Do not pay for it again. Tell your user, with the paymentId; the same call would show the server the same payment once more.',
  },
  generate_image: {
    ...paying,
    bad_request: 'Call it again with a model and a resolution that list_models returns.',
    not_available: 'Use another model that list_models returns, or tell your user.',
  },
  set_policy: changingPolicy,
  request_budget: changingPolicy,
  allocate_budget: {
    ...asking,
    unauthorized: ownAgentAlone,
  },
  deploy_agent: asking,
  delegate_budget: {
    ...asking,
    forbidden: 'Tell your user: the owner has to let this agent delegate keys.',
    conflict: 'Tell your user: this agent has 100 delegated keys, and one has to end first.',
    suspended: stepsAfter.suspended.model,
    frozen: stepsAfter.frozen.model,
    locked: 'Tell your user that the treasury is locked. Call it again once it is unlocked.',
  },
  kill_agent: {
    ...reading,
    unauthorized: ownAgentAlone,
    internal: 'Call it again: stopping twice does no harm. If it fails once more, tell your user.',
    halted: 'Tell your user that the treasury does not run, and so pays nothing. Call it again when it runs.',
  },
  resume_agent: { ...asking, unauthorized: ownAgentAlone },
  rename_agent: {
    ...reading,
    unauthorized: ownAgentAlone,
    too_large: 'Call it again with a shorter displayName.',
  },
};

/** A limit above this key: nothing that it can ask for itself changes it. */
const aboveIt = at(
  'Tell your user: a limit above this key is reached, and only the owner can change it.',
  ', or tell your user: only the owner can change a limit above this key',
);

export const nextStepOf = (tool: string, { code, details = {} }: AppError): string => {
  if (details['node'] !== undefined) return aboveIt(details);
  const step = nextSteps[tool]?.[code];
  if (step === undefined) return `Tell your user that the treasury refused ${tool} with the code ${code}.`;
  return typeof step === 'string' ? step : step(details);
};
