// The next step that an agent is told after a refusal, by tool and error code.
import type { AppError, ErrorCode } from '../errors.ts';

type Steps = Partial<Record<ErrorCode, string>>;

const usual: Steps = {
  bad_request: 'Correct the arguments and call it again.',
  unauthorized: 'This agent’s API key is no longer valid, or does not permit this: tell your user.',
  forbidden: 'Only the owner can do this: tell your user.',
  max_per_payment: 'Ask the owner for a higher maxPerPayment with request_budget, or buy something cheaper.',
  daily_budget: 'Ask the owner for a higher dailyBudget with request_budget.',
  owner_ceiling: 'Only the owner can change the limit over all agents: tell your user.',
  cooldown: 'Wait, then call it again.',
  service_not_allowed:
    'Use a service of allowedServices (see get_policy), or ask for another list with set_policy.',
  insufficient_balance: 'Ask the owner for USDC with allocate_budget.',
  fee_limit: 'Network fees have reached their limit for now: call it again later, or tell your user.',
  rent_limit:
    'Opening accounts for new payees has reached its limit for now: pay one that was paid before, or tell your user.',
  approval_denied: 'The owner refused. Do not ask for the same again; tell your user.',
  approval_expired: 'The owner did not answer in time. Ask once more when the owner is there.',
  approval_cancelled: 'What was asked for no longer stands. Ask anew if it is still needed.',
  suspended: 'Only the owner can lift it: ask with resume_agent.',
  frozen: 'The owner stopped all payments. Wait, and tell your user.',
  not_found: 'Check the id.',
  conflict: 'It changed meanwhile: look at it again before you ask anew.',
  idempotency_conflict: 'Call it again: it is sent as a new request.',
  too_large: 'Send less.',
  too_many_requests: 'Wait until the owner has decided what you asked before; look with get_approval.',
  internal:
    'Call it again with the same arguments: it goes on with the same payment and does not make another.',
  not_available: 'This seller cannot be paid from here: use another one, or tell your user.',
  not_delivered:
    'Do not pay for it again. The same call with the same arguments shows the seller the same payment once more; if that does not help, tell your user, with the paymentId.',
  answer_too_large:
    'Call it again with a higher maxBytes and otherwise the same arguments: what is paid is not paid again.',
  answer_too_slow:
    'Call it again with a higher timeoutSeconds and otherwise the same arguments: what is paid is not paid again.',
  answers_full: 'Nothing was paid. Call it again with a lower maxBytes, or tell your user.',
  disk_low: 'Nothing was paid: the disk is full. Tell your user.',
  payment_failed: 'Nothing was spent. You may call it again.',
  generation_failed: 'What was charged is refunded. You may ask for it again, or for another model.',
  chain_unreachable: 'Nothing was spent. Call it again in a minute.',
  fees_exhausted: 'The treasury has to be given SOL for network fees: tell your user.',
  locked: 'The owner has locked the treasury: tell your user, and call it again when it is unlocked.',
  halted: 'When it runs again, call it again with the same arguments: nothing is paid twice.',
  clock_unsafe: 'The owner has to look at the clock of this machine: tell your user.',
};

const ownAlone = 'This bridge acts for one agent alone: name that one, which check_balance tells.';
const lookAgain = 'Call it again.';
/** These calls carry no idempotency key, so that nothing may be promised of a repetition. */
const askedOrNot = 'The request may have arrived. Call it again only if get_policy shows no change.';

/** Where the usual next step would mislead. */
const ofTool: Readonly<Record<string, Steps>> = {
  check_balance: { internal: lookAgain, halted: 'Call it again when the treasury runs.' },
  get_policy: { internal: lookAgain, halted: 'Call it again when the treasury runs.' },
  get_spend_history: { internal: lookAgain, halted: 'Call it again when the treasury runs.' },
  explain_policy: {
    not_found: 'Check the service id: find_service lists them.',
    internal: lookAgain,
    halted: 'Call it again when the treasury runs.',
  },
  find_service: { internal: lookAgain, halted: 'Call it again when the treasury runs.' },
  list_models: { internal: lookAgain, halted: 'Call it again when the treasury runs.' },
  paid_fetch: {
    conflict:
      'It is paid already: call it again with a maxAmount of at least details.amount for the answer, and nothing more is paid.',
    bad_request:
      'Correct the arguments and call it again. A URL on this machine has to be allowed by who runs the treasury: tell your user.',
  },
  pay: {
    not_found: 'Check the service id: find_service lists them. paid_fetch needs none.',
    bad_request: 'Correct the arguments and call it again, or buy it with paid_fetch and its URL.',
  },
  get_payment: {
    not_found: 'Check the paymentId: get_spend_history lists the payments of this agent.',
    internal: lookAgain,
    halted: 'Call it again when the treasury runs.',
  },
  get_approval: {
    not_found: 'Check the approvalId: the answer that said awaiting_approval named it.',
    internal: lookAgain,
    halted: 'Call it again when the treasury runs.',
  },
  generate_image: {
    bad_request: 'Correct the arguments: list_models tells which models and resolutions there are.',
    not_available: 'Use another model of list_models, or tell your user.',
  },
  get_task: {
    not_found: 'Check the taskId: generate_image named it.',
    internal: lookAgain,
    halted: 'Call it again when the treasury runs.',
  },
  set_policy: { internal: askedOrNot, halted: askedOrNot },
  request_budget: { internal: askedOrNot, halted: askedOrNot },
  allocate_budget: {
    unauthorized: ownAlone,
    internal: 'It may have been asked. Tell your user before you ask for it again.',
    halted: 'It may have been asked. Tell your user before you ask for it again.',
  },
  deploy_agent: {
    conflict: 'Ask for another agentId.',
    internal: 'It may have been asked. Tell your user before you ask for it again.',
    halted: 'It may have been asked. Tell your user before you ask for it again.',
  },
  kill_agent: {
    unauthorized: ownAlone,
    internal: 'Call it again: stopping twice does no harm.',
    halted: 'While the treasury does not run nothing is paid. Call it again when it runs.',
  },
  resume_agent: {
    unauthorized: ownAlone,
    internal: 'It may have been asked. Tell your user before you ask for it again.',
    halted: 'Call it again when the treasury runs.',
  },
  rename_agent: {
    unauthorized: ownAlone,
    internal: lookAgain,
    halted: 'Call it again when the treasury runs.',
  },
};

const waitingHelps = ['daily_budget', 'owner_ceiling', 'cooldown', 'fee_limit', 'rent_limit'];

export const nextStepOf = (tool: string, { code, details = {} }: AppError): string => {
  const { retryAt, rule, paymentId } = details;
  if (code === 'answers_full' && typeof paymentId === 'string')
    return 'It is paid already: call it again with a lower maxBytes and otherwise the same arguments, and nothing more is paid.';
  if (typeof retryAt === 'string' && (waitingHelps.includes(code) || code === 'too_many_requests')) {
    const or = code === 'daily_budget' ? ', or ask the owner with request_budget' : '';
    return `Call it again at ${retryAt}${or}.`;
  }
  if (rule === 'maxAmount') return 'Call it again with a higher maxAmount, or do without.';
  return (
    ofTool[tool]?.[code] ?? usual[code] ?? 'Do not repeat the call unchanged; tell your user what happened.'
  );
};
