// Which event becomes which notice; and a flood of refusals becomes two.
import { describe, expect, it } from 'vitest';
import { createNoticeSender } from '../../electron/notice-sender.ts';
import { createNotifier, noticeOf, type Notice } from '../../electron/notifications.ts';
import type { OwnerEvent } from '../../server/contract/owner-api.ts';

const at = '2026-01-01T00:00:00.000Z';
const nameOf = (agentId: string): string => (agentId === 'scout' ? 'Scout' : agentId);
const transfer = (more: object = {}): OwnerEvent => ({
  type: 'transfer',
  data: {
    id: 'pay_1',
    kind: 'payment',
    agentId: 'scout',
    service: 'Weather',
    serviceId: 'weather',
    amount: '2.00',
    currency: 'USDC',
    status: 'denied',
    state: 'denied',
    timestamp: at,
    payee: 'payee',
    description: '',
    txSignature: null,
    failure: { code: 'max_per_payment', message: 'Too much.', details: {} },
    note: null,
    counted: 0,
    cursor: 1,
    ...more,
  },
});
const approval = (more: object = {}): OwnerEvent => ({
  type: 'approval',
  data: {
    approvalId: 'apr_1',
    kind: 'payment',
    agentId: 'scout',
    status: 'pending',
    shown: { amount: '3.00' },
    hash: 'h',
    createdAt: at,
    expiresAt: at,
    decidedAt: null,
    denyAt: null,
    result: null,
    budget: null,
    ...more,
  },
});
const deposit = (status: 'confirmed' | 'final', id = 'dep_1'): OwnerEvent => ({
  type: 'deposit',
  data: {
    id,
    txSignature: 's',
    from: 'sender',
    amount: '25.00',
    currency: 'USDC',
    status,
    timestamp: at,
    cursor: 1,
  },
});
const frozen = (isFrozen: boolean): OwnerEvent => ({
  type: 'freeze',
  data: { frozen: isFrozen, reason: 'a debit' },
});

const record = () => {
  const shown: Notice[] = [];
  const timers: { work: () => void; dueAt: number }[] = [];
  let time = 0;
  let enabled = true;
  const notifier = createNotifier({
    nameOf,
    show: (notice) => void shown.push(notice),
    enabled: () => enabled,
    now: () => time,
    later(work, ms) {
      const timer = { work, dueAt: time + ms };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  });
  const pass = (ms: number): void => {
    time += ms;
    for (const timer of timers.filter(({ dueAt }) => dueAt <= time)) {
      timers.splice(timers.indexOf(timer), 1);
      timer.work();
    }
  };
  return { notifier, shown, pass, timers, turn: (on: boolean) => void (enabled = on) };
};

describe('a notice', () => {
  it.each([
    ['an approval', approval(), 'Scout needs your approval', '/approvals'],
    [
      'a seller that took the money and delivered nothing',
      {
        type: 'warning',
        data: { code: 'not_delivered', message: 'Weather was paid and did not deliver.' },
      } as const,
      'Paid, but not delivered',
      '/activity',
    ],
    ['a refused payment', transfer(), 'A payment by Scout was refused', '/activity/pay_1'],
    ['a deposit', deposit('confirmed'), '25.00 USDC arrived', '/treasury'],
    ['a halt', { type: 'halted', data: { reason: 'disk' } } as OwnerEvent, 'The treasury has halted', '/'],
    ['a freeze', frozen(true), 'The treasury is frozen', '/'],
    [
      'a login',
      {
        type: 'login',
        data: {
          loginId: 'l',
          terminal: 'xterm',
          code: 'AB12',
          status: 'pending',
          createdAt: at,
          expiresAt: at,
        },
      } as OwnerEvent,
      'A terminal wants to log in',
      '/approvals',
    ],
    [
      'a machine that asks to be linked',
      {
        type: 'link',
        data: {
          linkId: 'k',
          machine: 'a laptop',
          code: 'AB1-2CD',
          agentId: null,
          status: 'pending',
          createdAt: at,
          expiresAt: at,
        },
      } as OwnerEvent,
      'A machine wants to be linked',
      '/approvals',
    ],
  ] as const)('tells of %s and opens the right screen', (_case, event, title, path) => {
    expect(noticeOf(event, nameOf)).toMatchObject({ title, path });
  });

  it.each([
    ['what is paid', transfer({ status: 'confirmed', failure: null })],
    ['what the owner refused', transfer({ failure: { code: 'approval_denied', message: '', details: {} } })],
    ['what a freeze refused', transfer({ failure: { code: 'frozen', message: '', details: {} } })],
    ['a decided approval', approval({ status: 'granted' })],
    ['the end of a freeze', frozen(false)],
    ['a balance', { type: 'balance', data: { wallet: 'w' } } as OwnerEvent],
  ] as const)('is not made of %s', (_case, event) => expect(noticeOf(event, nameOf)).toBeNull());

  it('shows an agent’s text inert and cut', () => {
    const message = `<a href="https://evil.example">click</a>\u202E\n${'x'.repeat(500)}`;
    const notice = noticeOf(
      transfer({ service: '<b>bank</b>', failure: { code: 'payment_failed', message, details: {} } }),
      nameOf,
    );
    expect(notice?.body).toContain('‹b›bank‹/b›');
    expect(notice?.body).not.toMatch(/[<>\n\u202E]/);
    expect(notice?.body.length).toBeLessThan(260);
  });
});

describe('a request in a notice', () => {
  it('shows the agent’s reason as the agent’s own words, without characters that could disguise it', () => {
    const notice = noticeOf(
      approval({ shown: { amount: '3.00', reason: 'for \u202eBern\n\u0007now' } }),
      nameOf,
    );
    expect(notice?.body).toMatch(/^A payment of 3\.00 USDC\. It says: “for +Bern +now”\. Open to decide\.$/);
    expect(noticeOf(approval(), nameOf)?.body).toBe('A payment of 3.00 USDC. Open to decide.');
  });
});

describe('the notifier', () => {
  it('shows one refusal at once, and a flood as one more notice with its count each minute', () => {
    const { notifier, shown, pass, timers } = record();
    for (let n = 0; n < 500; n += 1) notifier.take(transfer({ id: `pay_${n}` }));
    expect(shown.map(({ title }) => title)).toEqual(['A payment by Scout was refused']);
    pass(60_000);
    expect(shown.at(-1)).toEqual({
      title: '499 more payments by Scout were refused',
      body: 'Within the last minute. Its page says why.',
      path: '/agents/scout',
    });
    notifier.take(transfer());
    expect(shown).toHaveLength(2);
    pass(60_000);
    expect(shown.at(-1)?.title).toBe('One more payment by Scout was refused');
    pass(60_000);
    expect([shown.length, timers.length]).toEqual([3, 0]);
    notifier.take(transfer());
    expect(shown).toHaveLength(4);
  });

  it('keeps agents apart', () => {
    const { notifier, shown } = record();
    for (const agentId of ['a', 'b', 'a']) notifier.take(transfer({ agentId }));
    expect(shown.map(({ title }) => title)).toEqual([
      'A payment by a was refused',
      'A payment by b was refused',
    ]);
  });

  it('tells of a deposit once', () => {
    const { notifier, shown, pass } = record();
    notifier.take(deposit('confirmed'));
    pass(60_000);
    notifier.take(deposit('confirmed'));
    notifier.take(deposit('final'));
    expect(shown).toHaveLength(1);
  });

  it('is silent about the owner’s own freeze, and about everything when it is turned off', () => {
    const { notifier, shown, pass, turn } = record();
    notifier.expectFreeze();
    notifier.take(frozen(true));
    expect(shown).toEqual([]);
    pass(5_000);
    notifier.take(frozen(true));
    expect(shown).toHaveLength(1);
    turn(false);
    notifier.take(approval());
    expect(shown).toHaveLength(1);
  });
});

describe('the sender', () => {
  it('opens the screen at a click, and offers no buttons', () => {
    const made: { options: object; listeners: Map<string, () => void> }[] = [];
    class RecordingNotification {
      static isSupported = (): boolean => true;
      listeners = new Map<string, () => void>();
      constructor(options: object) {
        made.push({ options, listeners: this.listeners });
      }
      on = (event: string, listen: () => void): void => void this.listeners.set(event, listen);
      show = (): void => {};
    }
    const opened: string[] = [];
    const send = createNoticeSender(RecordingNotification as never, (path) => void opened.push(path));
    send({ title: 't', body: 'b', path: '/approvals' });
    expect(made[0]?.options).toEqual({ title: 't', body: 'b' });
    made[0]?.listeners.get('click')?.();
    expect(opened).toEqual(['/approvals']);
  });
});
