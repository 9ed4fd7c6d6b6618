// The archived agents that the dashboard still shows.
import { expect, it } from 'vitest';
import { holdsMoney } from '../../renderer/screens/agents/archived.ts';

const agent = (archived: boolean, balance: string) => ({
  agentId: 'old',
  walletAddress: 'w',
  createdAt: '2026-01-01T00:00:00.000Z',
  displayName: 'old',
  status: 'suspended' as const,
  archived,
  balance,
  color: null,
  picture: null,
  tags: [],
});

it.each([
  [true, '0.000001', true],
  [true, '0.00', false],
  [false, '7.00', false],
])('an agent (archived: %s) with %s USDC: %s', (archived, balance, isShown) => {
  expect(holdsMoney(agent(archived, balance))).toBe(isShown);
});
