// One word for one thing: the outcome of a transfer, and the name of an agent.
import { describe, expect, it } from 'vitest';
import { blockingOf } from '../../renderer/screens/activity/blocking.ts';
import { askAgain } from '../../renderer/screens/activity/ask-again.ts';
import { evidenceOf } from '../../renderer/screens/activity/evidence.ts';
import type { Transfer } from '../../renderer/screens/activity/steps.ts';
import { namesOf } from '../../server/contract/agent-names.ts';
import { outcomeOf, outcomes, titleOf, type Shown } from '../../renderer/shared/status.ts';

const shown = (more: Partial<Shown>): string =>
  outcomes[
    outcomeOf({ kind: 'payment', status: 'confirmed', state: 'final', note: null, failure: null, ...more })
  ].label;
const denied = (code: string) => shown({ status: 'denied', state: 'denied', failure: { code } });

describe('a transfer', () => {
  it('is paid once it is final, and settling before', () => {
    expect(shown({})).toBe('Paid');
    expect(shown({ kind: 'charge' })).toBe('Paid');
    expect(shown({ state: 'seen' })).toBe('Settling');
    for (const state of ['reserved', 'signed', 'sent'])
      expect(shown({ status: 'pending', state })).toBe('Settling');
    for (const kind of ['allocation', 'recall', 'withdrawal', 'refund'] as const)
      expect(shown({ kind })).toBe('Done');
  });

  it('is never called paid when its seller did not deliver', () => {
    expect(shown({ note: 'Paid, but not delivered. down' })).toBe('Not delivered');
    expect(shown({ state: 'seen', note: 'Paid, but not delivered. down' })).toBe('Not delivered');
    expect(shown({ status: 'failed', state: 'dead', note: 'Not delivered. down' })).toBe('Failed');
  });

  it('is declined by the owner and refused by a limit', () => {
    expect(['approval_denied', 'approval_expired', 'approval_cancelled'].map(denied)).toEqual([
      'Declined',
      'Declined',
      'Declined',
    ]);
    expect(['daily_budget', 'frozen', 'suspended', 'insufficient_balance'].map(denied)).toEqual([
      'Refused',
      'Refused',
      'Refused',
      'Refused',
    ]);
    expect([shown({ status: 'awaiting_approval' }), shown({ status: 'unknown' })]).toEqual([
      'Waiting',
      'Unknown',
    ]);
  });

  it('has words of its own for each outcome', () => {
    const labels = Object.values(outcomes).map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
  });

  it('is named after its service, and funds after their agent', () => {
    const entry = { service: 'Allocation to scout', agentId: 'scout' };
    expect(titleOf({ ...entry, kind: 'allocation' }, () => 'Scout')).toBe('Funds for Scout');
    expect(titleOf({ ...entry, kind: 'recall' }, () => 'Scout')).toBe('Funds back from Scout');
    expect(titleOf({ kind: 'payment', service: 'Weather', agentId: 'scout' }, () => 'Scout')).toBe('Weather');
    expect(titleOf({ kind: 'withdrawal', service: 'Withdrawal', agentId: null }, () => 'Scout')).toBe(
      'Withdrawal',
    );
  });
});

const names = (...agents: [string, string][]) => [
  ...namesOf(agents.map(([agentId, displayName]) => ({ agentId, displayName }))).values(),
];

describe('an agent', () => {
  it('is called by its display name, and by its id too where the name could be another agent’s', () => {
    expect(names(['scout', 'Scout'], ['reviewer', 'Code Reviewer'])).toEqual(['Scout', 'Code Reviewer']);
    expect(names(['a', 'Scout'], ['b', 'scout '])).toEqual(['Scout (a)', 'scout  (b)']);
    // An agent whose display name is another one's id.
    expect(names(['code-reviewer', 'Code Reviewer'], ['evil', 'code reviewer'])).toEqual([
      'Code Reviewer (code-reviewer)',
      'code reviewer (evil)',
    ]);
    expect(names(['code-reviewer', 'Rita'], ['evil', 'Code-Reviewer'])).toEqual([
      'Rita',
      'Code-Reviewer (evil)',
    ]);
  });
});

describe('blocking a service', () => {
  it('never empties the list, which would allow every service', () => {
    expect(blockingOf(['a', 'b'], 'a')).toEqual({ kind: 'listed', others: ['b'] });
    expect(blockingOf(['a'], 'a')).toEqual({ kind: 'only' });
    expect(blockingOf([], 'a')).toEqual({ kind: 'every' });
    expect(blockingOf(['b'], 'a')).toEqual({ kind: 'blocked' });
  });
});

describe('asking again for goods that are paid', () => {
  it('names the call and its payment, and says that nothing is paid again', () => {
    const purchase = { method: 'POST', url: 'https://a.example/x' } as NonNullable<Transfer['purchase']>;
    expect(askAgain({ id: 'pay_1', purchase })).toBe(
      'Repeat POST https://a.example/x exactly as before, with the Idempotency-Key of payment pay_1. It is paid: the seller is shown the same payment once more, and nothing is paid again.',
    );
  });
});

describe('the evidence for a seller', () => {
  it('names the paid request and its place on the chain, without the agent’s own words', () => {
    const text = evidenceOf({
      id: 'pay_1',
      amount: '0.10',
      currency: 'USDC',
      payee: 'payee',
      txSignature: 'signature',
      reason: 'a secret plan',
      description: 'a secret plan',
      times: { block: '2026-01-02T03:04:05.000Z', seen: null },
      purchase: { method: 'GET', url: 'https://a.example', requestHash: 'ff', evidence: { status: 500 } },
    } as unknown as Transfer);
    expect(JSON.parse(text)).toMatchObject({
      payment: 'pay_1',
      transaction: 'signature',
      request: { url: 'https://a.example' },
      seller: { status: 500 },
    });
    expect(text).not.toContain('secret');
  });
});
