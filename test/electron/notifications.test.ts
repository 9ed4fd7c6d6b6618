// The treasury's notices as this desktop shows them.
import { describe, expect, it } from 'vitest';
import { createNoticeSender } from '../../electron/notice-sender.ts';
import { createNotifier, noticeOf, type Notice } from '../../electron/notifications.ts';
import { noticeKindNames } from '../../server/contract/notices/notices.ts';
import type { Message } from '../../server/notices/message.ts';

const message = (more: Partial<Message> = {}): Message => ({
  id: 'ntc_1',
  kind: 'refused',
  agentId: 'scout',
  subject: 'pay_1',
  title: 'A payment by Scout was refused',
  text: 'Too much.',
  count: 1,
  at: '2026-01-01T00:00:00.000Z',
  ...more,
});

const record = () => {
  const shown: Notice[] = [];
  let time = 0;
  let enabled = true;
  const notifier = createNotifier({
    show: (notice) => void shown.push(notice),
    enabled: () => enabled,
    now: () => time,
  });
  return {
    notifier,
    shown,
    pass: (ms: number) => void (time += ms),
    turn: (on: boolean) => void (enabled = on),
  };
};

describe('a notice', () => {
  it.each([
    ['an approval', message({ kind: 'approval', subject: 'apr_1' }), '/approvals'],
    ['a login', message({ kind: 'login', agentId: null, subject: 'l' }), '/approvals'],
    ['a refused payment', message(), '/activity/pay_1'],
    ['several refused payments', message({ count: 2 }), '/agents/scout'],
    ['a seller that delivered nothing', message({ kind: 'not_delivered' }), '/activity/pay_1'],
    ['a budget', message({ kind: 'budget', subject: null }), '/agents/scout'],
    ['the ceiling of all agents', message({ kind: 'budget', agentId: null, subject: null }), '/'],
    ['a deposit', message({ kind: 'deposit', agentId: null, subject: 'dep_1' }), '/treasury'],
    ['a freeze', message({ kind: 'frozen', agentId: null, subject: null }), '/'],
    ['a test', message({ kind: 'test', agentId: null }), '/settings'],
  ] as const)('of %s opens the right screen', (_case, of, path) => {
    expect(noticeOf(of).path).toBe(path);
  });

  it('of every kind opens a screen', () => {
    for (const kind of noticeKindNames) expect(noticeOf(message({ kind })).path).toMatch(/^\//);
  });

  it('shows its text inert and cut', () => {
    const text = `<a href="https://evil.example">click</a>\u202E\n${'x'.repeat(500)}`;
    const { title, body } = noticeOf(message({ title: '<b>bank</b>', text }));
    expect(title).toBe('‹b›bank‹/b›');
    expect(body).not.toMatch(/[<>\n\u202E]/);
    expect(body.length).toBeLessThan(310);
  });
});

describe('the notifier', () => {
  it('is silent about the owner’s own freeze, and about everything when it is turned off', () => {
    const { notifier, shown, pass, turn } = record();
    const frozen = message({ kind: 'frozen', agentId: null, subject: null });
    notifier.expectFreeze();
    notifier.take(frozen);
    expect(shown).toEqual([]);
    pass(5_000);
    notifier.take(frozen);
    expect(shown).toHaveLength(1);
    turn(false);
    notifier.take(message());
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
