// The next step that an agent is told, for every tool and every refusal that it can meet.
import { describe, expect, it } from 'vitest';
import { AppError, type ErrorCode } from '../../server/errors.ts';
import { nextStepOf } from '../../server/mcp/next-steps.ts';

const always: ErrorCode[] = ['bad_request', 'unauthorized', 'internal', 'halted', 'too_many_requests'];
const paying: ErrorCode[] = [
  'max_per_payment',
  'daily_budget',
  'owner_ceiling',
  'cooldown',
  'service_not_allowed',
  'insufficient_balance',
  'fee_limit',
  'rent_limit',
  'approval_denied',
  'approval_expired',
  'approval_cancelled',
  'suspended',
  'frozen',
  'idempotency_conflict',
  'not_available',
  'not_delivered',
  'payment_failed',
  'chain_unreachable',
  'fees_exhausted',
  'locked',
  'clock_unsafe',
  'too_large',
];
const reading = [
  'check_balance',
  'get_policy',
  'get_spend_history',
  'explain_policy',
  'find_service',
  'list_models',
  'get_payment',
  'get_approval',
  'get_task',
];
const canMeet: Readonly<Record<string, readonly ErrorCode[]>> = {
  ...Object.fromEntries(reading.map((name) => [name, always])),
  get_payment: [...always, 'not_found'],
  get_approval: [...always, 'not_found'],
  get_task: [...always, 'not_found'],
  pay: [...always, ...paying, 'not_found'],
  paid_fetch: [...always, ...paying],
  generate_image: [...always, ...paying, 'generation_failed'],
  set_policy: always,
  request_budget: always,
  allocate_budget: [...always, 'insufficient_balance', 'frozen', 'idempotency_conflict'],
  deploy_agent: [...always, 'conflict'],
  kill_agent: always,
  resume_agent: always,
  rename_agent: always,
};
const pairs = Object.entries(canMeet).flatMap(([tool, codes]) => codes.map((code) => [tool, code] as const));
const stepOf = (tool: string, code: ErrorCode, details: object = {}): string =>
  nextStepOf(tool, new AppError(code, 'refused', { ...details }));

describe('the next step', () => {
  it.each(pairs)(
    'of %s after %s names only existing tools and arguments, and only what the agent can do',
    (tool, code) => {
      const step = stepOf(tool, code);
      expect(step).not.toContain('unchanged');
      const argumentsNamed = ['awaiting_approval'];
      const named = (step.match(/\b[a-z]+_[a-z]+\b/g) ?? []).filter((word) => !argumentsNamed.includes(word));
      for (const word of named) expect(Object.keys(canMeet)).toContain(word);
      expect(step).not.toMatch(/GET |POST |\/v1|Bearer|--|Idempotency/);
    },
  );

  it.each(reading.flatMap((tool) => (canMeet[tool] ?? []).map((code) => [tool, code] as const)))(
    'of %s, which pays nothing, after %s mentions no payment to continue',
    (tool, code) => {
      expect(stepOf(tool, code)).not.toMatch(/same payment|paid twice|same arguments|find_service/);
    },
  );

  it.each([
    'set_policy',
    'request_budget',
    'allocate_budget',
    'deploy_agent',
    'resume_agent',
    'rename_agent',
  ])('of %s, which is sent under no key, promises nothing about a repetition', (tool) => {
    for (const code of ['internal', 'halted'] as const)
      expect(stepOf(tool, code)).not.toMatch(/same payment|paid twice|same arguments/);
  });

  it('after an unknown id says where to find ids', () => {
    expect(stepOf('get_payment', 'not_found')).toContain('get_spend_history');
    expect(stepOf('get_approval', 'not_found')).toContain('awaiting_approval');
    expect(stepOf('get_task', 'not_found')).toContain('generate_image');
    expect(stepOf('generate_image', 'bad_request')).toContain('list_models');
    expect(stepOf('pay', 'not_found')).toContain('find_service');
  });

  it('names a time when waiting helps, and the budget only when a higher one would help', () => {
    const retryAt = '2030-01-01T00:00:00.000Z';
    expect(stepOf('pay', 'daily_budget', { retryAt })).toMatch(/2030-01-01.*request_budget/);
    expect(stepOf('pay', 'cooldown', { retryAt })).toBe(`Call it again at ${retryAt}.`);
    expect(stepOf('paid_fetch', 'owner_ceiling', { retryAt })).toBe(`Call it again at ${retryAt}.`);
    expect(stepOf('paid_fetch', 'max_per_payment', { rule: 'maxAmount' })).toContain('maxAmount');
  });
});
