// Lists and sums: the activity and its filters, requests, spending by day, agents, months, and the link page's address.
import { newAddress, recipientsOf, recipientWords } from '../../server/contract/treasury/recipients.ts';
import { describe, expect, it } from 'vitest';
import { explorerUrl } from '../../renderer/screens/activity/explorer.ts';
import {
  filtersOf,
  mayShow,
  queryOf,
  searchOf,
  type Entry,
} from '../../renderer/screens/activity/filters.ts';
import { exchange, putOnTop } from '../../renderer/screens/activity/live-entries.ts';
import { stepsOf, type Transfer } from '../../server/contract/payments/steps.ts';
import { changesOf } from '../../renderer/screens/approvals/policy-changes.ts';
import { requestOf, wordsOf } from '../../renderer/screens/approvals/request.ts';
import { untilOf } from '../../renderer/screens/approvals/until.ts';
import { sumOf } from '../../renderer/shared/amounts.ts';
import { ticksOf } from '../../renderer/shared/ticks.ts';
import {
  daysOf,
  others,
  type Rank,
  ranked,
  seriesColors,
  seriesOf,
  sinceFirst,
  withSettling,
  type Sums,
} from '../../renderer/screens/overview/spending-data.ts';
import { colorOfAgent, colorsOfAgents, patternOf, type Colored } from '../../renderer/shared/agent-looks.ts';
import { listedAgents, tagsOf } from '../../renderer/screens/agents/agent-order.ts';
import { type AgentSummary } from '../../renderer/stores/treasury.ts';
import { changeOf, compared } from '../../renderer/screens/books/changes.ts';
import { shifted } from '../../server/contract/books/book-words.ts';
import { dayIn } from '../../renderer/screens/books/month-words.ts';
import { daysFault, periodOf } from '../../renderer/screens/books/periods.ts';
import { holdsMoney } from '../../renderer/screens/agents/archived.ts';
import { type Wallet } from '@wallet-standard/base';
import { arrivalOf } from '../../renderer/screens/link/arrival.ts';
import { pauseAfter } from '../../renderer/screens/link/poll-pause.ts';
import { usableOf } from '../../renderer/screens/link/wallets.ts';
import { refusalBy } from '../../renderer/shared/wallets.ts';
import { AppError } from '../../server/errors.ts';

const entry = (cursor: number, more: Partial<Entry> = {}): Entry => ({
  id: `pay_${cursor}`,
  kind: 'payment',
  agentId: 'one',
  service: 'Weather',
  serviceId: 'weather',
  amount: '0.01',
  currency: 'USDC',
  status: 'confirmed',
  state: 'final',
  timestamp: '2026-01-02T03:04:05.000Z',
  payee: 'payee',
  description: '',
  txSignature: null,
  failure: null,
  counted: 0,
  note: null,
  delivered: false,
  cursor,
  ...more,
});
const cursors = (entries: readonly Entry[] | null): number[] | undefined =>
  entries?.map(({ cursor }) => cursor);

describe('the filters', () => {
  it('survive being written to an address and read back', () => {
    const filters = { agent: 'one', service: 'a&b=c', status: 'refused', from: '2026-01-02', q: 'a b?#' };
    expect(filtersOf(new URLSearchParams(new URLSearchParams(searchOf(filters)).toString()))).toEqual(
      filters,
    );
  });

  it('ignore nonsense in an address', () => {
    const search = new URLSearchParams({
      kind: 'theft',
      status: 'approved',
      from: 'yesterday',
      to: '2026-13-02',
      agent: ' ',
      q: 'x'.repeat(201),
      other: '1',
    });
    expect(filtersOf(search)).toEqual({});
  });

  it('translate to the treasury’s own names', () => {
    expect(queryOf({ agent: 'one', service: 'weather', q: 'x', by: 'day', sort: 'amount' })).toEqual({
      agentId: 'one',
      serviceId: 'weather',
      q: 'x',
      zone: 'owner',
    });
    // Days are the owner's: the treasury knows where they begin.
    expect(queryOf({ from: '2026-01-02', to: '2026-01-02', status: 'undelivered' })).toEqual({
      from: '2026-01-02',
      to: '2026-01-02',
      outcome: 'undelivered',
      zone: 'owner',
    });
  });

  it('admit an entry only when it fits all of them', () => {
    expect(mayShow(entry(1), { agent: 'one', status: 'paid', kind: 'payment', service: 'weather' })).toBe(
      true,
    );
    for (const filters of [{ agent: 'two' }, { status: 'failed' }, { kind: 'recall' }, { service: 'x' }]) {
      expect(mayShow(entry(1), filters)).toBe(false);
    }
  });
});

describe('the live list', () => {
  it('replaces changed entries in place, and drops entries that no longer fit the filters', () => {
    const changed = new Map([
      ['pay_2', entry(2, { status: 'failed' })],
      ['pay_1', entry(1, { agentId: 'two' })],
    ]);
    const list = exchange([entry(3), entry(2), entry(1)], changed, ({ agentId }) => agentId === 'one');
    expect(list.map(({ id, status }) => [id, status])).toEqual([
      ['pay_3', 'confirmed'],
      ['pay_2', 'failed'],
    ]);
  });

  it('puts new entries on top, each once, and keeps the older ones below', () => {
    const head = { entries: [entry(7), entry(6), entry(5)], next: 5 };
    const list = putOnTop([entry(5), entry(4), entry(3), entry(2)], head);
    expect(cursors(list)).toEqual([7, 6, 5, 4, 3, 2]);
  });

  it('starts over when entries would be missing in between', () => {
    const head = { entries: [entry(9), entry(8), entry(7)], next: 7 };
    expect(putOnTop([entry(3), entry(2)], head)).toBeNull();
  });

  it('goes by the range that the newest page covers, not by its length', () => {
    expect(cursors(putOnTop([entry(9), entry(2)], { entries: [entry(9)], next: 6 }))).toEqual([9, 2]);
    expect(putOnTop([entry(5), entry(2)], { entries: [entry(9)], next: 6 })).toBeNull();
    expect(putOnTop([], { entries: [], next: 6 })).toBeNull();
  });

  it('is the newest page alone when there is no other', () => {
    const head = { entries: [entry(6), entry(5)], next: null };
    expect(cursors(putOnTop([entry(5), entry(1)], head))).toEqual([6, 5]);
    expect(putOnTop([entry(5)], { entries: [], next: null })).toEqual([]);
  });
});

const at = (second: number): string => `2026-01-02T03:04:0${second}.000Z`;

const titles = (transfer: Pick<Transfer, 'state' | 'times'>): string[] =>
  stepsOf(transfer).map(({ title }) => title);

const purchase = (delivery: string, evidence: object): Pick<Transfer, 'purchase'> =>
  ({ purchase: { delivery, evidence } }) as unknown as Pick<Transfer, 'purchase'>;

describe('the steps of a transfer', () => {
  const none = { reserved: null, signed: null, sent: null, seen: null, block: null, ended: null };
  it('are in the order in which they happen, although the chain’s clock differs', () => {
    const times = {
      asked: at(4),
      reserved: at(4),
      signed: at(5),
      sent: at(5),
      seen: at(6),
      block: at(3),
      ended: at(9),
    };
    expect(titles({ state: 'final', times })).toEqual([
      'Requested',
      'Reserved',
      'Signed',
      'Sent to the network',
      'In a block',
      'Seen on the chain',
      'Final',
    ]);
  });

  it('end with the next step', () => {
    const steps = stepsOf({ state: 'awaiting_approval', times: { asked: at(1), ...none } });
    expect(steps.map(({ title, at: time }) => [title, time])).toEqual([
      ['Requested', at(1)],
      ['Waiting for you', null],
    ]);
  });

  it('are one where it was refused at once, and the request too where it was refused later', () => {
    const refused = (ended: string) => titles({ state: 'denied', times: { asked: at(1), ...none, ended } });
    expect([refused(at(1)), refused(at(2))]).toEqual([['Refused'], ['Requested', 'Refused']]);
  });

  it('name the owner’s approval, and the seller’s answer that was no delivery, when they happened', () => {
    const times = {
      asked: at(1),
      reserved: at(3),
      signed: at(3),
      sent: at(4),
      seen: at(5),
      block: at(4),
      ended: at(9),
    };
    const told = {
      state: 'final',
      times,
      approved: { at: at(3), from: 'dashboard' },
      ...purchase('undelivered', {
        firstShownAt: at(4),
        answeredAt: at(6),
        status: 500,
        error: 'database exploded',
        shown: 2,
      }),
    } as const;
    const steps = stepsOf(told);
    expect(steps.map(({ title, isFailed = false }) => `${title}${isFailed ? ' ✗' : ''}`)).toEqual([
      'Requested',
      'You approved it',
      'Reserved',
      'Signed',
      'Sent to the network',
      'Shown to the seller',
      'In a block',
      'Seen on the chain',
      'The seller answered 500 ✗',
      'Final',
    ]);
    expect(steps[1]).toMatchObject({ at: at(3), note: 'On the dashboard.' });
    expect(steps[8]).toMatchObject({ at: at(6), note: 'database exploded It was asked 2 times.' });
    const standing = stepsOf({ ...told, approved: { at: '2025-12-01T00:00:00.000Z', from: 'standing' } });
    expect(standing[0]?.title).toBe('You gave a standing approval');
    const answered = purchase('delivered', {
      firstShownAt: at(4),
      answeredAt: at(6),
      status: 200,
      error: null,
    });
    expect(stepsOf({ state: 'final', times, ...answered }).filter(({ isFailed }) => isFailed)).toEqual([]);
    const late = {
      firstShownAt: at(4),
      answeredAt: at(6),
      status: null,
      error: 'The seller is slow.',
      shown: 1,
    };
    expect(titles({ state: 'final', times, ...purchase('undelivered', late) } as typeof told)).toContain(
      'The seller did not answer',
    );
    const failure = { code: 'approval_cancelled', message: '', details: {} };
    expect(
      stepsOf({ state: 'denied', times: { ...none, asked: at(1), ended: at(9) }, failure }).at(-1),
    ).toMatchObject({
      title: 'Declined',
      isFailed: true,
    });
  });

  it('say of an unknown transfer that its amount stays reserved', () => {
    const times = { asked: at(1), ...none, reserved: at(1), signed: at(2), sent: at(2) };
    expect(stepsOf({ state: 'unknown', times }).at(-1)?.note).toContain('stays reserved');
  });
});

describe('the explorer’s link', () => {
  const signature = '5'.repeat(88);
  it('names the network, and does not exist on the sandbox', () => {
    expect(explorerUrl('mainnet', signature)).toBe(`https://explorer.solana.com/tx/${signature}`);
    expect(explorerUrl('devnet', signature)).toBe(
      `https://explorer.solana.com/tx/${signature}?cluster=devnet`,
    );
    expect(explorerUrl('sandbox', signature)).toBeNull();
  });

  it('is made only of a signature', () => {
    expect(explorerUrl('mainnet', `${signature}?x=<script>`)).toBeNull();
    expect(explorerUrl('mainnet', '../evil')).toBeNull();
  });
});

it('says why a request to a language model asks', () => {
  const shown = { because: 'watch', watch: 'It asks for much.' };
  expect(requestOf({ kind: 'standing', shown, facts: null })).toMatchObject({
    because: 'The watch: It asks for much.',
  });
});

it('knows as a recipient only what the owner sent to, and nothing that a debit on the chain went to', () => {
  const sent = { status: 'confirmed', amount: '2.00', currency: 'USDC', timestamp: at(1) };
  const withdrawals = [
    { ...sent, payee: 'friend', description: '' },
    { ...sent, payee: 'thief', description: 'from the chain' },
  ] as unknown as Parameters<typeof recipientsOf>[0]['withdrawals'];
  const known = recipientsOf({ cold: null, agents: [], withdrawals, labels: [], when: () => 'Monday' });
  expect(recipientWords(known, 'friend')).toBe('You sent 2.00 USDC there on Monday.');
  expect(recipientWords(known, 'thief')).toBe(newAddress);
  const labels = [
    { address: 'friend', label: 'A' },
    { address: 'thief', label: 'B' },
  ];
  const labelled = recipientsOf({ cold: null, agents: [], withdrawals, labels, when: () => 'Monday' });
  expect(recipientWords(labelled, 'friend')).toBe('You call it “A”. You sent 2.00 USDC there on Monday.');
  expect(recipientWords(labelled, 'thief')).toBe('You call it “B”.');
});

const policy = {
  dailyBudget: '5.00',
  maxPerPayment: '1.00',
  cooldownSeconds: 60,
  allowedServices: ['a', 'b'],
  approveAbove: '0.50',
  newPayees: 'approve',
  approvalMinutes: 15,
};
const loosens = (change: object, from: object = {}): boolean[] =>
  changesOf({ ...policy, ...from }, { ...policy, ...from, ...change }).map((one) => one.loosens);

describe('a requested policy', () => {
  it('shows only the fields that would change', () => {
    expect(changesOf(policy, policy)).toEqual([]);
    expect(changesOf(policy, { ...policy, dailyBudget: '9.00' })).toEqual([
      {
        label: 'Daily budget',
        before: { kind: 'amount', amount: '5.00' },
        after: { kind: 'amount', amount: '9.00' },
        loosens: true,
        raises: [],
      },
    ]);
  });

  it.each<[string, object, object?]>([
    ['a higher budget', { dailyBudget: '5.000001' }],
    ['a higher limit for one payment', { maxPerPayment: '10.00' }],
    ['a shorter pause', { cooldownSeconds: 0 }],
    ['a further service', { allowedServices: ['a', 'c'] }],
    ['every service', { allowedServices: [] }],
    ['asking above more', { approveAbove: '0.60' }],
    ['never asking', { approveAbove: null }],
    ['paying new payees', { newPayees: 'allow' }],
    ['a longer time to answer', { approvalMinutes: 60 }],
    ['an amount that nobody can read', { dailyBudget: 'lots' }],
  ])('marks %s as allowing more', (_, change, from) => {
    expect(loosens(change, from)).toEqual([true]);
  });

  it.each<[string, object, object?]>([
    ['a lower budget, though its digits sort higher', { dailyBudget: '9.00' }, { dailyBudget: '10.00' }],
    ['a longer pause', { cooldownSeconds: 61 }],
    ['fewer services', { allowedServices: ['a'] }],
    ['some services instead of every one', { allowedServices: ['a'] }, { allowedServices: [] }],
    ['asking where it never asked', { approveAbove: '100.00' }, { approveAbove: null }],
    ['asking before new payees', { newPayees: 'approve' }, { newPayees: 'allow' }],
  ])('does not mark %s', (_, change, from) => {
    expect(loosens(change, from)).toEqual([false]);
  });
});

const payee = (payeeIsNew: unknown): unknown => {
  const request = requestOf({ kind: 'payment', shown: { payeeIsNew }, facts: null });
  return request.kind === 'payment' && request.recipients[0]?.payeeIsNew;
};

const payeesOf = (shown: object): unknown => {
  const request = requestOf({ kind: 'payment', shown: { payee: 'one', ...shown }, facts: null });
  return request.kind === 'payment' && request.payees;
};

describe('a request', () => {
  it('counts a payee as new unless the treasury says that it is not', () => {
    expect([payee(true), payee(undefined), payee('no'), payee(false)]).toEqual([true, true, true, false]);
  });

  it('names the payees of a standing approval: the shown ones, or else the payment’s', () => {
    expect(payeesOf({ payees: ['one', 'two'] })).toEqual(['one', 'two']);
    for (const payees of [undefined, [], 'two', [2]]) expect(payeesOf({ payees })).toEqual(['one']);
  });

  it('carries the agent’s own words, and takes nothing else for them', () => {
    expect(wordsOf({ shown: { reason: 'why', description: 'what' } })).toEqual({
      reason: 'why',
      description: 'what',
    });
    expect(wordsOf({ shown: { reason: ['why'] } })).toEqual({ reason: '', description: '' });
  });

  it('takes only text for text', () => {
    const request = requestOf({
      kind: 'deploy',
      shown: { newAgentId: { toString: 'x' }, displayName: 7 },
      facts: null,
    });
    expect(request).toMatchObject({ newAgentId: '', displayName: '' });
  });
});

describe('the end of a standing approval', () => {
  const now = Date.parse('2026-03-04T05:06:07.000Z');
  it('is the chosen number of hours ahead', () => {
    expect(untilOf('24', '', now)).toBe('2026-03-05T05:06:07.000Z');
  });

  it('is the end of a chosen day on this machine’s clock', () => {
    const until = new Date(untilOf('date', '2026-03-09', now) ?? 0);
    expect([until.getDate(), until.getHours(), until.getMinutes()]).toEqual([9, 23, 59]);
  });

  it('is null for a past or an invalid day', () => {
    expect(untilOf('date', '2026-03-02', now)).toBeNull();
    expect(untilOf('date', '', now)).toBeNull();
  });
});

const now = Date.parse('2026-03-02T23:30:00Z');
const asOf = { now, zone: 'UTC' };
const total = (id: string, amount: string) => ({ id, name: id, amount, payments: 1, requests: 0 });
const spending = (totals: Sums['totals'], day = '2026-03-02'): Sums => ({
  totals,
  days: totals.map((one) => ({ ...one, day })),
});

const rank = (id: string, amount: string, payments: number): Rank => ({
  id,
  name: id,
  amount,
  payments,
  requests: 0,
});

describe('the data of the charts', () => {
  it('has every day once, including empty ones, and ends today', () => {
    const days = daysOf(spending([total('a', '1.00')]), [], 30, asOf);
    expect(days).toHaveLength(30);
    expect([days[0]?.day, days[28]?.day, days[29]?.day]).toEqual(['2026-02-01', '2026-03-01', '2026-03-02']);
    expect(days[28]).toMatchObject({ total: '0.00', payments: 0, parts: { a: 0 } });
    expect(days[29]).toMatchObject({ total: '1.00', payments: 1, parts: { a: 1 } });
  });

  it('begins with the first spending, and has at least a week', () => {
    const shown = (day: string, count: number) =>
      sinceFirst(daysOf(spending([total('a', '1.00')], day), [], count, asOf)).length;
    expect([shown('2026-03-02', 30), shown('2026-02-10', 90), shown('2026-02-01', 30)]).toEqual([7, 21, 30]);
    expect(sinceFirst(daysOf(spending([total('a', '1.00')], '2025-01-01'), [], 30, asOf))).toHaveLength(30);
  });

  it('gives far colours to the six that spent most, and adds up the rest in grey', () => {
    const agents = Array.from({ length: 30 }, (_, index) => total(`agent-${index}`, `${index}.10`));
    const series = seriesOf(spending(agents));
    expect(series).toEqual([29, 28, 27, 26, 25, 24].map((n) => `agent-${n}`).concat(others));
    const colors = series.map(seriesColors(series));
    const hues = colors.slice(0, -1).map((color) => Number(/ (\d+)\)$/.exec(color)?.[1]));
    const apart = hues.flatMap((a) => hues.filter((b) => b !== a).map((b) => Math.abs(a - b)));
    expect(Math.min(...apart, ...apart.map((degrees) => 360 - degrees))).toBeGreaterThanOrEqual(40);
    expect(new Set(hues).size).toBe(6);
    expect([colors.at(-1), seriesColors(series)('agent-0')]).toEqual(Array(2).fill(colors.at(-1)));
    const today = daysOf(spending(agents), [], 30, asOf).at(-1);
    expect(today?.total).toBe(sumOf(agents));
    expect(Object.keys(today?.parts ?? {})).toEqual(series);
  });

  it('does not group a single remaining agent', () => {
    const agents = Array.from({ length: 6 }, (_, index) => total(`agent-${index}`, '1.00'));
    expect(seriesOf(spending(agents))).toHaveLength(6);
    expect(seriesOf(spending(agents))).not.toContain(others);
  });

  it('counts settling payments apart from paid ones', () => {
    const settling = ['0.30', '0.20'].map((amount) => ({
      agentId: 'a',
      serviceId: 'weather',
      service: 'Weather',
      amount,
      timestamp: '2026-03-02T20:00:00.000Z',
    }));
    const today = daysOf(spending([total('a', '1.00')]), settling, 30, asOf).at(-1);
    expect(today).toMatchObject({ total: '1.50', settling: 0.5, payments: 3, parts: { a: 1 } });
    const rows = [{ id: 'a', name: 'A', amount: '1.00', payments: 1, requests: 7 }];
    expect(
      withSettling(rows, [
        { id: 'a', name: 'A', amount: '0.30' },
        { id: 'b', name: 'B', amount: '0.20' },
      ]),
    ).toEqual([
      { id: 'a', name: 'A', amount: '1.30', payments: 2, requests: 7 },
      { id: 'b', name: 'B', amount: '0.20', payments: 1, requests: 0 },
    ]);
  });

  it('has lines at round amounts, from zero to above the highest bar', () => {
    expect(ticksOf(0)).toEqual([0]);
    expect(ticksOf(4.17)).toEqual([0, 2, 4, 6]);
    expect(ticksOf(8)).toEqual([0, 2, 4, 6, 8]);
    for (const most of [0.000001, 0.37, 1, 99.5, 123_456]) {
      const ticks = ticksOf(most);
      expect(ticks.length).toBeLessThanOrEqual(5 + 1);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(most * (1 - 1e-9));
    }
  });

  it('ranks by amount, not by text, and loses nothing in the rest', () => {
    const rows = ['9.00', '10.00', '0.50', '0.25'].map((amount, index) => ({
      id: `${index}`,
      name: `s${index}`,
      amount,
      payments: 2,
      requests: index,
    }));
    expect(ranked(rows, 3)).toEqual([
      rows[1],
      rows[0],
      { id: '', name: '2 others', amount: '0.75', payments: 4, requests: 5 },
    ]);
    expect(ranked(rows, 4)).toHaveLength(4);
  });

  it('does not count those whose payments were all paid back among the others', () => {
    const rows = [rank('a', '3.00', 1), rank('b', '2.00', 1), rank('c', '1.00', 1), rank('d', '0.00', 0)];
    expect(ranked(rows, 3)).toEqual(rows.slice(0, 3));
    expect(ranked([...rows, rank('e', '0.50', 1)], 3).at(-1)).toMatchObject({
      name: '2 others',
      payments: 2,
    });
  });
});

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
    // Four are told apart at once.
    const hues = [...colorsOfAgents(all.slice(0, 4)).values()].map((one) =>
      Number(/ (\d+)\)$/.exec(one)?.[1]),
    );
    for (const [n, hue] of hues.entries())
      for (const other of hues.slice(0, n))
        expect(Math.cos(((hue - other) * Math.PI) / 180)).toBeLessThan(0.65);
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
    inForce: { dailyBudget: '1.00', boost: null, freeAt: null },
    lastPaymentAt: null,
    lastSeenAt: null,
    status: 'active',
    statusReason: null,
    asking: null,
    pendingApprovals: 0,
    tags: [],
    ...more,
  }) as unknown as AgentSummary;
const agents = [
  summary('c', { spentToday: '0.90', balance: '9.00', lastPaymentAt: '2026-01-01T00:00:00.000Z' }),
  summary('a', { balance: '10.00', tags: ['CI', 'night'] }),
  summary('b', {
    spentToday: '2.00',
    inForce: { dailyBudget: '100.00', boost: null, freeAt: null },
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

  it('has trouble first: stopped by the treasury, held by the watch, asking, near its budget', () => {
    const inForce = { dailyBudget: '1.00', boost: null, freeAt: null };
    const troubled = [
      summary('paused by you', { inForce, status: 'suspended' }),
      summary('nearly', { inForce, spentToday: '0.80' }),
      summary('asks', { inForce, pendingApprovals: 1 }),
      summary('held', { inForce, asking: 'It asks for 3.00 USDC in an hour.' }),
      summary('stopped', { inForce, status: 'suspended', statusReason: 'no payment explains a debit' }),
    ];
    const wanted = { text: '', tag: null, order: 'trouble' } as const;
    const sorted = listedAgents(troubled, wanted).map(({ agentId }) => agentId);
    expect(sorted).toEqual(['stopped', 'held', 'asks', 'nearly', 'paused by you']);
    const reversed = listedAgents(troubled, { ...wanted, isReversed: true });
    expect(reversed.map(({ agentId }) => agentId)).toEqual(sorted.toReversed());
  });

  it('takes tags that differ in case alone for one', () => {
    expect(tagsOf(agents)).toEqual(['CI', 'night']);
    expect([ids('name', '', 'CI'), ids('name', 'NIGHT'), ids('name', 'nothing')]).toEqual(['ab', 'a', '']);
  });
});

const timezoneId = 'Pacific/Kiritimati';
const row = (id: string, amount: string) => ({ id, name: id, amount, entries: 1 });

describe('the months', () => {
  it('follow each other over the end of a year, and have days of their zone', () => {
    expect([shifted('2026-01', -1), shifted('2026-12', 1)]).toEqual(['2025-12', '2027-01']);
    const moment = Date.parse('2026-11-30T23:30:00Z');
    expect([dayIn('UTC', moment), dayIn(timezoneId, moment)]).toEqual(['2026-11-30', '2026-12-01']);
  });

  it('list what was only in the month before, too, and tell changes in whole percent', () => {
    expect(compared([row('a', '2.00')], [row('a', '1.00'), row('b', '3.00')])).toEqual([
      { ...row('a', '2.00'), before: '1.00' },
      { ...row('b', '0.00'), entries: 0, before: '3.00' },
    ]);
    expect(changeOf('1.50', '1.00')).toEqual({ way: 'more', by: '0.50', percent: 50 });
    expect(changeOf('0.00', '4.00')).toEqual({ way: 'less', by: '4.00', percent: 100 });
    expect(changeOf('-3.00', '-1.00')).toMatchObject({ way: 'less', by: '2.00' });
    expect(changeOf('1.00', '0.00').percent).toBeNull();
  });

  it('give a file its period: their own moments, a year, everything, or two days in order', () => {
    const span = { from: '2026-11-01T05:00:00.000Z', to: '2026-12-01T05:00:00.000Z' };
    const some = { ...span, month: '2026-11' } as Parameters<typeof periodOf>[1];
    expect(periodOf('month', some, {})).toEqual({ from: span.from, to: '2026-12-01T04:59:59.999Z' });
    expect(periodOf('year', some, {})).toEqual({ from: '2026-01-01', to: '2026-12-31' });
    expect(periodOf('all', some, {})).toEqual({});
    expect(daysFault({ from: '2026-11-02', to: '2026-11-01' })).toContain('must not be after');
    expect(daysFault({ from: '', to: '2026-11-01' })).toBe('Choose both days.');
    expect(daysFault({ from: '2026-11-01', to: '2026-11-01' })).toBeNull();
  });
});

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

const nothing = { token: null, proof: null, problem: null };
const journey = { token: 'lnk_one', state: 'mine' };

describe('an address', () => {
  it.each([
    ['?token=lnk_one', '', null, { ...nothing, token: 'lnk_one' }],
    ['', '', null, nothing],
    ['', '', journey, nothing],
    [
      '?token=lnk_one',
      '#email=s3cret',
      null,
      { ...nothing, token: 'lnk_one', proof: { kind: 'email', secret: 's3cret' } },
    ],
    ['?token=lnk_one', '#email=', null, { ...nothing, token: 'lnk_one' }],
    [
      '?code=c&state=mine&iss=i',
      '',
      journey,
      {
        ...nothing,
        token: 'lnk_one',
        proof: { kind: 'provider', state: 'mine', callback: 'code=c&state=mine&iss=i' },
      },
    ],
    // The treasury reports the provider's refusal, and then forgets the sign-in.
    [
      '?error=access_denied&state=mine',
      '',
      journey,
      {
        ...nothing,
        token: 'lnk_one',
        proof: { kind: 'provider', state: 'mine', callback: 'error=access_denied&state=mine' },
      },
    ],
  ] as const)('%s%s leads to the right sign-in', (search, hash, kept, arrival) => {
    expect(arrivalOf(search, hash, kept)).toEqual(arrival);
  });

  it.each([
    ['?code=c&state=hers', journey, 'lnk_one'],
    ['?code=c', journey, 'lnk_one'],
    ['?error=access_denied&state=hers', journey, 'lnk_one'],
    ['?code=c&state=mine', null, null],
  ])('%s of a sign-in that this tab did not begin proves nothing', (search, kept, token) => {
    const arrival = arrivalOf(search, '', kept);
    expect([arrival.token, arrival.proof]).toEqual([token, null]);
    expect(arrival.problem).toContain('not started in this tab');
  });
});

const tooSoon = (details?: Record<string, unknown>): Error =>
  new AppError('too_many_requests', 'wait', details);

describe('the pause between two polls', () => {
  it('is two and a half seconds, and longer when the treasury says so', () => {
    expect(pauseAfter(null, 0.9)).toBe(2_500);
    expect(pauseAfter(new Error('not reached'), 0.9)).toBe(2_500);
    expect(pauseAfter(tooSoon(), 0)).toBe(2_500);
    expect(pauseAfter(tooSoon({ retryAfterSeconds: 1 }), 0)).toBe(2_500);
    expect(pauseAfter(tooSoon({ retryAfterSeconds: 60 }), 0)).toBe(60_000);
    expect(pauseAfter(tooSoon({ retryAfterSeconds: 2 }), 0.5)).toBe(3_000);
  });
});

const wallet = (name: string, features: string[], chains = ['solana:mainnet']): Wallet =>
  ({
    name,
    chains,
    features: Object.fromEntries(features.map((feature) => [feature, {}])),
  }) as unknown as Wallet;

describe('wallets', () => {
  it('are shown when they can sign in on Solana, those with a sign-in feature first', () => {
    const found = usableOf([
      wallet('signs', ['standard:connect', 'solana:signMessage']),
      wallet('knows', ['solana:signIn', 'standard:connect', 'solana:signMessage']),
      wallet('elsewhere', ['solana:signIn'], ['ethereum:1']),
      wallet('cannot connect', ['solana:signMessage']),
      wallet('pays only', ['standard:connect', 'solana:signTransaction']),
    ]);
    expect(found.map(({ name }) => name)).toEqual(['knows', 'signs']);
  });

  it.each([
    { code: 4001, message: 'whatever' },
    new Error('User rejected the request.'),
    new Error('Approval Denied'),
    new Error('Plugin Closed'),
    'The user cancelled',
  ])('whose holder refused are recognised', (error) => {
    expect(refusalBy('Purse', error).message).toBe('You refused it in Purse. Nothing was signed.');
  });

  it('that failed otherwise are quoted, and the treasury’s own sentences stay', () => {
    expect(refusalBy('Purse', new Error('Device is busy.')).message).toBe(
      'Purse did not sign: Device is busy.',
    );
    const own = new AppError('not_found', 'This link session is over.');
    expect(refusalBy('Purse', own)).toBe(own);
  });
});
