import { afterEach, describe, expect, it } from 'vitest';
import { setApi } from '../../renderer/api/owner.ts';
import { agentIdRule, proposeAgentId } from '../../renderer/screens/agents/agent-id.ts';
import { createAgent, newAgentErrors, type NewAgentValues } from '../../renderer/screens/agents/new-agent.ts';
import { AppError } from '../../server/errors.ts';

const values: NewAgentValues = {
  name: 'Trip planner',
  agentId: 'trip-planner',
  dailyBudget: '5.00',
  maxPerPayment: '1.00',
  allocation: '10.00',
  asksNewPayees: true,
  asksUnusual: true,
};
const mcpConfig = { command: 'node', args: [], env: { TREASURY_API_KEY: 'atk_1' } };

/** Records the requests, and refuses the one that `failing` names. */
const recordAsks = (failing: readonly string[] = []): { name: string; input: unknown }[] => {
  const asked: { name: string; input: unknown }[] = [];
  setApi({
    ask(name, input) {
      asked.push({ name, input });
      if (failing.includes(name)) return Promise.reject(new AppError('locked', 'It is locked.'));
      return Promise.resolve({ mcpConfig } as never);
    },
    listen: () => () => {},
  });
  return asked;
};

afterEach(() => setApi(null));

describe('making an agent', () => {
  it('deploys, sets the policy, and only then gives it money under the one idempotency key', async () => {
    const asked = recordAsks();
    const created = await createAgent(values, 'key-1', () => {});
    expect(asked.map(({ name }) => name)).toEqual(['deploy', 'setPolicy', 'setWatch', 'allocate']);
    expect(asked[2]?.input).toMatchObject({ body: { mode: 'ask' } });
    expect(asked[3]?.input).toMatchObject({ body: { amount: '10.00' }, key: 'key-1' });
    expect(created).toEqual({ agentId: 'trip-planner', name: 'Trip planner', mcpConfig, problems: [] });
  });

  it('gives no money to an agent whose policy could not be set, and still shows its API key', async () => {
    const asked = recordAsks(['setPolicy']);
    const created = await createAgent(values, 'key-1', () => {});
    expect(asked.map(({ name }) => name)).toEqual(['deploy', 'setPolicy']);
    expect(created.mcpConfig).toBe(mcpConfig);
    expect(created.problems.join()).toContain('has no USDC yet');
  });

  it('shows the API key when the money could not be moved', async () => {
    recordAsks(['allocate']);
    const created = await createAgent(values, 'key-1', () => {});
    expect(created.mcpConfig).toBe(mcpConfig);
    expect(created.problems.join()).toContain('It is locked.');
  });

  it('reports that no agent was made when the request was refused', async () => {
    const asked = recordAsks(['deploy']);
    await expect(createAgent(values, 'key-1', () => {})).rejects.toThrow('It is locked.');
    expect(asked).toHaveLength(1);
  });

  it('moves nothing when no amount was given', async () => {
    for (const allocation of ['', ' ', '0', '0.00']) {
      const asked = recordAsks();
      await createAgent(
        { ...values, allocation, asksNewPayees: false, asksUnusual: false },
        'key-1',
        () => {},
      );
      expect(asked.map(({ name }) => name)).toEqual(['deploy']);
    }
  });

  it('refuses more than the treasury holds before asking', () => {
    expect(newAgentErrors(values, 10_000_000n)).toEqual({});
    expect(Object.keys(newAgentErrors(values, 9_999_999n))).toEqual(['allocation']);
    expect(Object.keys(newAgentErrors({ ...values, name: ' ', agentId: '-x' }, 10_000_000n))).toEqual([
      'name',
      'agentId',
    ]);
  });
});

describe('the id that a name proposes', () => {
  it.each([
    ['Trip planner!', 'trip-planner'],
    ['  Über Größe  ', 'uber-gro-e'],
    ['日本', ''],
    ['x'.repeat(100), 'x'.repeat(64)],
  ])('"%s" gives "%s"', (name, id) => {
    expect(proposeAgentId(name)).toBe(id);
    if (id !== '') expect(agentIdRule(id)).toBeNull();
  });
});
