import { describe, expect, it } from 'vitest';
import { colorOfAgent, colorsOfAgents, patternOf, type Colored } from '../../renderer/shared/agent-looks.ts';
import { listedAgents, tagsOf } from '../../renderer/screens/agents/agent-order.ts';
import type { AgentSummary } from '../../renderer/stores/treasury.ts';

describe('an agent’s look', () => {
  it('has a colour that no other has, as long as there are enough, and that a newer agent does not take', () => {
    const all = Array.from({ length: 30 }, (_, n): Colored => ({ agentId: `agent-${n}`, color: null }));
    const colors = colorsOfAgents(all.slice(0, 24));
    expect(new Set(colors.values()).size).toBe(24);
    for (let count = 1; count <= 30; count += 1) {
      const before = colorsOfAgents(all.slice(0, count - 1));
      const after = colorsOfAgents(all.slice(0, count));
      for (const [agentId, color] of before) expect(after.get(agentId)).toBe(color);
    }
    // The owner's choice holds, also for an older agent.
    const rose = colorOfAgent('any', 'rose');
    const ids = Array.from({ length: 500 }, (_, n) => `agent-${n}`);
    const agentId = ids.find((id) => colorOfAgent(id) === rose) ?? 'none';
    const both = colorsOfAgents([
      { agentId, color: null },
      { agentId: 'chosen', color: 'rose' },
    ]);
    expect([colorOfAgent(agentId), both.get('chosen')]).toEqual([rose, rose]);
    expect(both.get(agentId)).not.toBe(rose);
  });

  it('follows from its id alone, and differs between ids', () => {
    expect([colorOfAgent('scout'), patternOf('scout')]).toEqual([colorOfAgent('scout'), patternOf('scout')]);
    const ids = Array.from({ length: 200 }, (_, n) => `agent-${n}`);
    expect(new Set(ids.map((id) => colorOfAgent(id))).size).toBe(24);
    expect(new Set(ids.map((id) => JSON.stringify(patternOf(id)))).size).toBeGreaterThan(195);
    for (const id of ids) {
      const cells = patternOf(id);
      for (const [column, row] of cells) expect(cells).toContainEqual([4 - column, row]);
    }
  });
});

const summary = (agentId: string, more: Partial<AgentSummary>): AgentSummary =>
  ({
    agentId,
    displayName: agentId,
    spentToday: '0.00',
    balance: '0.00',
    policy: { dailyBudget: '1.00' },
    lastPaymentAt: null,
    tags: [],
    ...more,
  }) as unknown as AgentSummary;
const agents = [
  summary('c', { spentToday: '0.90', balance: '9.00', lastPaymentAt: '2026-01-01T00:00:00.000Z' }),
  summary('a', { balance: '10.00', tags: ['CI', 'night'] }),
  summary('b', {
    spentToday: '2.00',
    policy: { dailyBudget: '100.00' },
    lastPaymentAt: '2026-01-02T00:00:00.000Z',
    tags: ['ci'],
  }),
];

const ids = (order: Parameters<typeof listedAgents>[1]['order'], text = '', tag: string | null = null) =>
  listedAgents(agents, { order, text, tag })
    .map(({ agentId }) => agentId)
    .join('');

describe('the list of agents', () => {
  it('is sorted by amounts, not by their digits, and those that never paid come last', () => {
    expect([ids('created'), ids('name'), ids('share'), ids('spent'), ids('balance'), ids('last')]).toEqual([
      'cab',
      'abc',
      'cba',
      'bca',
      'acb',
      'bca',
    ]);
  });

  it('takes tags that differ in case alone for one', () => {
    expect(tagsOf(agents)).toEqual(['CI', 'night']);
    expect([ids('name', '', 'CI'), ids('name', 'NIGHT'), ids('name', 'nothing')]).toEqual(['ab', 'a', '']);
  });
});
