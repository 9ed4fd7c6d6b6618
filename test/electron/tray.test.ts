// The tray as drawn from a snapshot alone: states, texts and menu; the icon object that draws it; and the treasury's notices
// as this desktop shows them.
import type { MenuItemConstructorOptions } from 'electron';
import { describe, expect, it } from 'vitest';
import { createNoticeSender } from '../../electron/notice-sender.ts';
import { createNotifier, noticeOf, type Notice } from '../../electron/notifications.ts';
import type { Refusal, Snapshot } from '../../electron/snapshot.ts';
import {
  headline,
  riskLine,
  spendLine,
  title,
  tooltip,
  trayMenu,
  trayState,
  type TrayActions,
  type TrayView,
} from '../../electron/tray/tray-menu.ts';
import { createTray, type TrayDeps } from '../../electron/tray/tray.ts';
import { noticeKindNames } from '../../server/contract/notices/notices.ts';
import { conditionsIn } from '../harness/conditions.ts';
import type { Message } from '../../server/notices/message.ts';

const agent = (
  agentId: string,
  more: Partial<Snapshot['agents'][number]> = {},
): Snapshot['agents'][number] => ({
  agentId,
  walletAddress: 'wallet',
  createdAt: '2026-01-01T00:00:00.000Z',
  displayName: agentId,
  status: 'active',
  lifetimeSpent: '0.00',
  lifetimePayments: 0,
  lifetimeRequests: 0,
  balance: '1.00',
  spentToday: '0.00',
  budgetEndsAt: null,
  watch: 'tell',
  asking: null,
  policy: { dailyBudget: '5.00' },
  inForce: { dailyBudget: '5.00', boost: null, freeAt: null },
  statusReason: null,
  lastPaymentAt: null,
  lastSeenAt: null,
  pendingApprovals: 0,
  color: null,
  picture: null,
  tags: [],
  ...more,
});

const snapshot = (more: Partial<Snapshot> = {}): Snapshot => {
  const facts = { ...atRest, ...more };
  return { ...facts, conditions: conditionsIn(facts) };
};

const atRest: Snapshot = {
  treasury: {
    walletAddress: 'TreasuryAddress',
    amount: '0',
    currency: 'USDC',
    decimals: 6,
    sol: '1.00',
    spendableSol: '0.99',
    withdrawableSol: '0.99',
    transfersLeft: 100,
  },
  total: { amount: '0.00', cold: null, treasury: '0.00', agents: '0.00' },
  exposure: {
    amount: '0.00',
    wallets: '0.00',
    treasury: '0.00',
    agents: '0.00',
    aside: '0.00',
    cold: '0.00',
    returning: '0.00',
    providerKeys: 0,
    sol: '1.00',
    asOf: null,
    isStale: true,
  },
  agents: [],
  recentActivity: [],
  lastRefusal: null,
  network: 'sandbox',
  frozen: false,
  freeze: {
    frozen: false,
    since: null,
    reason: null,
    mayStillLand: { payments: 0, amount: '0.00', until: null },
  },
  halted: null,
  locked: false,
  needsPassphrase: false,
  phraseKept: true,
  clockDoubt: null,
  outage: null,
  foreignDebits: [],
  rpcFaults: [],
  conditions: [],
  ceiling: { dailyBudget: null, spent: '0.00', inForce: { dailyBudget: null, boost: null, freeAt: null } },
  pendingApprovals: 0,
  pendingLogins: 0,
  pendingLinks: 0,
};

const view = (more: Partial<Snapshot> | null = {}, other: Partial<TrayView> = {}): TrayView => ({
  life: { phase: 'running', failure: null },
  snapshot: more === null ? null : snapshot(more),
  startAtLogin: { supported: true, enabled: false },
  shortcut: null,
  ...other,
});

const recordActions = () => {
  const done: string[] = [];
  const note =
    (name: string) =>
    (...args: unknown[]): void =>
      void done.push([name, ...args].join(' ').trim());
  const actions: TrayActions = {
    freeze: note('freeze'),
    unfreeze: note('unfreeze'),
    pause: note('pause'),
    resume: note('resume'),
    remedy: ({ agentId, transferId }, remedy) =>
      void done.push(`remedy ${agentId} ${transferId} ${JSON.stringify(remedy)}`),
    open: note('open'),
    lock: note('lock'),
    copyAddress: note('copyAddress'),
    setStartAtLogin: note('setStartAtLogin'),
    quit: note('quit'),
  };
  return { done, actions };
};

const labels = (items: readonly MenuItemConstructorOptions[]): string[] =>
  items.map(({ label, type }) => label ?? String(type));

const clickAt = (items: readonly MenuItemConstructorOptions[], ...path: string[]): void => {
  let found: MenuItemConstructorOptions | undefined;
  let among = items;
  for (const label of path) {
    found = among.find((item) => item.label === label);
    among = Array.isArray(found?.submenu) ? found.submenu : [];
  }
  if (found?.click === undefined) throw new Error(`${path.join(' > ')} has no click`);
  (found.click as () => void)();
};

const outage = {
  since: '2026-01-01T00:00:00.000Z',
  isStarting: false,
  isWhole: true,
  rpcs: [],
  held: { transfers: 0, amount: '0.00' },
};
const debit = { wallet: 'w', agentId: null, signature: null, amount: '1.00', timestamp: outage.since };

describe('the tray’s state', () => {
  it.each([
    ['running', view()],
    ['running', view(null)],
    ['attention', view({ pendingApprovals: 1 })],
    ['attention', view({ pendingLogins: 1 })],
    ['attention', view({ pendingLinks: 1 })],
    ['attention', view({ locked: true })],
    ['attention', view({ clockDoubt: 'the clock jumped' })],
    ['attention', view({ outage })],
    ['attention', view({ foreignDebits: [debit], frozen: true })],
    ['attention', view(null, { life: { phase: 'setup', failure: null } })],
    ['frozen', view({ frozen: true, pendingApprovals: 3 })],
    ['halted', view({ halted: 'its disk failed', frozen: true })],
    ['halted', view(null, { life: { phase: 'failed', failure: { code: 'x', message: 'y' } } })],
  ] as const)('is %s', (state, of) => expect(trayState(of)).toBe(state));

  it('counts approvals, logins and links in title and headline', () => {
    const waiting = view({ pendingApprovals: 2, pendingLogins: 1, pendingLinks: 1 });
    expect([title(waiting), headline(waiting)]).toEqual(['4', '4 requests are waiting for you']);
    expect([title(view()), headline(view())]).toEqual(['', 'Running']);
  });

  it('says that the network is down, and before all else that somebody else has a key', () => {
    expect(headline(view({ outage }))).toBe('The network cannot be reached');
    expect(headline(view({ outage: { ...outage, isStarting: true } }))).toMatch(/^Waiting for the network/);
    expect(headline(view({ outage, foreignDebits: [debit], frozen: true }))).toMatch(
      /^Somebody else has a key/,
    );
  });

  it('adds up spend and budgets exactly', () => {
    const agents = ['0.10', '0.20', '0.000001'].map((spentToday, n) => agent(`a${n}`, { spentToday }));
    expect(spendLine(snapshot({ agents }))).toBe('Spent today: 0.300001 of 15.00 USDC');
    expect(tooltip(view({ agents }))).toContain('Spent today: 0.300001 of 15.00 USDC');
  });

  it('says how much could be lost with this machine, and never more surely than it knows', () => {
    const { exposure } = snapshot();
    const told = (more: Partial<Snapshot['exposure']>) =>
      riskLine(snapshot({ exposure: { ...exposure, amount: '12.40', ...more } }));
    expect(told({ isStale: false })).toBe('If this machine were stolen now: at most 12.40 USDC');
    expect(told({ isStale: true })).toContain('12.40 USDC, as of the last run, perhaps more');
    const asOf = '2026-11-25T10:04:00.000Z';
    expect(told({ isStale: true, asOf })).toMatch(/12\.40 USDC, as of \d\d:\d4, perhaps more$/);
    expect(
      labels(
        trayMenu(
          view({ exposure: { ...exposure, amount: '7.00', isStale: false } }),
          recordActions().actions,
        ),
      ),
    ).toContain('If this machine were stolen now: at most 7.00 USDC');
  });
});

describe('the tray’s menu', () => {
  it('freezes with one click that calls nothing else, and asks before lifting the freeze', () => {
    const { done, actions } = recordActions();
    clickAt(trayMenu(view(), actions), 'Freeze everything');
    clickAt(trayMenu(view({ frozen: true }), actions), 'Unfreeze …');
    expect(done).toEqual(['freeze', 'unfreeze']);
    expect(labels(trayMenu(view({ frozen: true }), actions))).not.toContain('Freeze everything');
  });

  it('freezes also before the first snapshot was read', () => {
    const { done, actions } = recordActions();
    clickAt(trayMenu(view(null), actions), 'Freeze everything');
    expect(done).toEqual(['freeze']);
  });

  it('pauses, resumes and shows each agent', () => {
    const { done, actions } = recordActions();
    const agents = [agent('scout', { spentToday: '0.25' }), agent('b c', { status: 'suspended' })];
    const menu = trayMenu(view({ agents }), actions);
    clickAt(menu, 'scout: 0.25 of 5.00 USDC', 'Pause');
    clickAt(menu, 'b c (paused): 0.00 of 5.00 USDC', 'Resume');
    clickAt(menu, 'b c (paused): 0.00 of 5.00 USDC', 'Show');
    expect(done).toEqual(['pause scout', 'resume b c', 'open /agents/b%20c']);
  });

  it('shows at most twenty agents and says how many more there are', () => {
    const agents = Array.from({ length: 25 }, (_, n) => agent(`agent${n}`));
    const menu = labels(trayMenu(view({ agents }), recordActions().actions));
    expect(menu.filter((label) => label.startsWith('agent'))).toHaveLength(20);
    expect(menu).toContain('5 more …');
  });

  it('offers lock, address, start at login and quit', () => {
    const { done, actions } = recordActions();
    const menu = trayMenu(view(), actions);
    for (const label of [
      'Lock (stops payments)',
      'Copy the deposit address',
      'Start at login',
      'Quit',
      'Open Agent Treasury',
    ])
      clickAt(menu, label);
    clickAt(trayMenu(view({ locked: true }), actions), 'Unlock …');
    expect(done).toEqual([
      'lock',
      'copyAddress TreasuryAddress',
      'setStartAtLogin true',
      'quit',
      'open',
      'open /',
    ]);
    const unsupported = view({}, { startAtLogin: { supported: false, enabled: false } });
    expect(labels(trayMenu(unsupported, actions))).not.toContain('Start at login');
  });

  it('offers only open and quit while nothing runs', () => {
    const menu = trayMenu(view(null, { life: { phase: 'setup', failure: null } }), recordActions().actions);
    expect(labels(menu)).toEqual([
      'Open Agent Treasury',
      'separator',
      'Waiting to be set up',
      'separator',
      'Start at login',
      'separator',
      'Quit',
    ]);
  });

  it('leads from the headline to the waiting requests', () => {
    const { done, actions } = recordActions();
    clickAt(trayMenu(view({ pendingApprovals: 1 }), actions), '1 request is waiting for you');
    expect(done).toEqual(['open /approvals']);
  });

  it('tells agents of the same name apart, and pauses the right one', () => {
    const { done, actions } = recordActions();
    const agents = [agent('scout'), agent('other', { displayName: 'scout' })];
    const menu = trayMenu(view({ agents }), actions);
    const [own, named] = labels(menu).filter((label) => label.includes('scout'));
    expect([own, named]).toEqual(['scout: 0.00 of 5.00 USDC', 'other “scout”: 0.00 of 5.00 USDC']);
    clickAt(menu, String(named), 'Pause');
    expect(done).toEqual(['pause other']);
  });

  it('keeps an agent’s name from looking like something else', () => {
    const name = `Quit\u202E&\n<b>x</b>${'y'.repeat(100)}`;
    const menu = labels(
      trayMenu(view({ agents: [agent('evil', { displayName: name })] }), recordActions().actions),
    );
    const label = menu.find((text) => text.includes('USDC') && text.includes('yyy')) ?? '';
    expect(label).toMatch(/^evil “Quit && ‹b›x‹\/b›y+…”: 0\.00 of 5\.00 USDC$/);
  });
});

const makeIcon = (platform: NodeJS.Platform) => {
  const did: string[] = [];
  class RecordingTray {
    constructor(image: unknown) {
      did.push(`new ${String(image)}`);
    }
    on = (event: string): void => void did.push(`on ${event}`);
    setImage = (image: unknown): void => void did.push(`image ${String(image)}`);
    setToolTip = (): void => {};
    setTitle = (text: string): void => void did.push(`title "${text}"`);
    setContextMenu = (): void => void did.push('menu');
    destroy = (): void => void did.push('destroy');
  }
  const icon = createTray({
    Tray: RecordingTray as unknown as TrayDeps['Tray'],
    Menu: { buildFromTemplate: (template) => template as never },
    icon: (state) => state as never,
    platform,
    actions: recordActions().actions,
  });
  return { did, icon };
};

describe('the tray’s icon', () => {
  it('changes with the state, and leaves an unchanged menu alone', () => {
    const { did, icon } = makeIcon('linux');
    icon.show(view());
    icon.show(view());
    icon.show(view({ frozen: true }));
    icon.remove();
    expect(did).toEqual(['new running', 'on click', 'menu', 'image frozen', 'menu', 'destroy']);
  });

  it('shows the count beside itself on macOS, where a click opens the menu', () => {
    const { did, icon } = makeIcon('darwin');
    icon.show(view({ pendingApprovals: 4 }));
    expect(did).toEqual(['new running', 'image attention', 'title "4"', 'menu']);
  });
});

describe('the last refusal', () => {
  const refusal: Refusal = {
    id: 'pay_1',
    kind: 'payment',
    agentId: 'scout',
    service: 'Weather & Co <b>',
    serviceId: 'weather',
    amount: '0.75',
    currency: 'USDC',
    status: 'denied',
    state: 'denied',
    timestamp: '2026-01-01T00:00:00.000Z',
    payee: 'payee',
    description: '',
    txSignature: null,
    failure: {
      code: 'max_per_payment',
      message: 'Ask the owner for a higher maxPerPayment.',
      details: { rule: 'maxPerPayment', limit: '0.25', amount: '0.75' },
    },
    note: null,
    delivered: false,
    counted: 0,
    cursor: 1,
  };
  const scout = agent('scout', { displayName: 'Research Scout' });
  const menuOf = (lastRefusal: Refusal | null) => {
    const { done, actions } = recordActions();
    return { done, menu: trayMenu(view({ agents: [scout], lastRefusal }), actions) };
  };
  const label = 'Refused: Research Scout, 0.75 USDC to Weather && Co ‹b›';

  it('says why in the owner’s words, and offers the change that lets the next try pass', () => {
    const { done, menu } = menuOf(refusal);
    const submenu = menu.find((item) => item.label === label)?.submenu;
    expect(Array.isArray(submenu) && labels(submenu)).toEqual([
      'Research Scout may spend at most 0.25 USDC in one payment. This one was for 0.75 USDC.',
      'Allow up to 0.75 USDC per payment',
      'Show',
    ]);
    clickAt(menu, label, 'Allow up to 0.75 USDC per payment');
    clickAt(menu, label, 'Show');
    expect(done).toEqual([
      'remedy scout pay_1 {"kind":"raise_limit","field":"maxPerPayment","to":"0.75"}',
      'open /activity/pay_1',
    ]);
  });

  it('is not shown when there is none, or when the owner caused it', () => {
    const denied = { ...refusal, failure: { code: 'approval_denied', message: '', details: {} } };
    for (const one of [null, denied]) expect(labels(menuOf(one).menu).join()).not.toContain('Refused');
  });
});

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
    ['a test', message({ kind: 'test', agentId: null }), '/settings/notices'],
    ['something unusual', message({ kind: 'unusual', subject: null }), '/agents/scout/watch'],
  ] as const)('of %s opens the right screen', (_case, of, path) => {
    expect(noticeOf(of).path).toBe(path);
  });

  it('of every kind opens a screen', () => {
    for (const kind of noticeKindNames) expect(noticeOf(message({ kind })).path).toMatch(/^\//);
  });

  it('shows its text inert and cut', () => {
    const text = `<a href="https://evil.example">click</a>\u202E\n${'x'.repeat(500)}`;
    const notice = noticeOf(message({ title: '<b>bank</b>', text }));
    expect(notice.title).toBe('‹b›bank‹/b›');
    expect(notice.body).not.toMatch(/[<>\n\u202E]/);
    expect(notice.body.length).toBeLessThan(310);
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
