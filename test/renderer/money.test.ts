// Money as the owner sees it: all that there is and where, what was spent on what, and how money comes in and leaves.
import type { Locator } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { newAddress } from '../../server/contract/treasury/recipients.ts';
import { localDays } from '../../server/lib/local-days.ts';
import { until } from '../harness/treasury.ts';
import { AppError } from '../../server/errors.ts';
import { useFakeOwner, type Answers } from './fake-owner.ts';

const fake = useFakeOwner();

const own = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const cold = '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5';
const friend = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const stranger = 'GThUX1Atko4tqhN2NaiTazWSeFWMuiUvfFnyJyUghFMJ';
const button = (name: string | RegExp): Locator => fake.page.getByRole('button', { name });
const dialog = (): Locator => fake.page.getByRole('dialog');
const sees = (text: string | RegExp) => fake.page.getByText(text).first().waitFor();

const scout = { agentId: 'scout', displayName: 'Research Scout', walletAddress: friend.replace('4', '5') };
const treasury = { walletAddress: own, amount: '910190000', spendableSol: '0.40', withdrawableSol: '0.39' };
const snapshot = {
  agents: [scout],
  treasury,
  total: { amount: '1490.61', cold: '520.00', treasury: '910.19', agents: '60.42' },
  exposure: {
    amount: '1090.61',
    treasury: '910.19',
    agents: '60.42',
    cold: '120.00',
    sol: '0.40',
  },
} as const;
const withdrawal = {
  kind: 'withdrawal',
  currency: 'USDC',
  status: 'confirmed',
  state: 'final',
  note: null,
  delivered: false,
  failure: null,
} as const;

const entry = (id: string, change: object) =>
  ({ ...withdrawal, id, agentId: 'scout', amount: '0.75', service: 'Maps', ...change }) as const;
const condition = (code: 'approvals' | 'backup_old', title: string) =>
  ({ code, severity: 'todo', isEverywhere: false, title, text: 'Soon.' }) as const;

const unpayable = (n: number) => ({
  seller: `https://${n}.example.com`,
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  price: '12500',
  times: 7 - n,
  agents: 2,
});

describe('the overview', () => {
  // The browser's zone is another than the owner's.
  const zone = 'Pacific/Kiritimati';
  const [first, , , today] = localDays(zone, 4, Date.now());
  const day = first?.day ?? '';
  const sum = { amount: '4.00', payments: 2 };
  const spending = {
    zone,
    days: [
      { day, agentId: 'scout', ...sum },
      { day: today?.day ?? '', agentId: 'scout', amount: '1.00', payments: 1 },
    ],
    serviceDays: [{ day, serviceId: 'weather', ...sum }],
    groupDays: [{ day, groupId: 'grp_1', ...sum }],
    agents: [{ agentId: 'scout', ...sum }],
    services: [{ serviceId: 'weather', service: 'Sandbox Weather', ...sum }],
    groups: [{ groupId: 'grp_1', name: 'Research', ...sum }],
  };
  const answers: Answers = { dashboard: snapshot, spending };
  // A page without agents goes to the first steps.
  beforeEach(async () => {
    await fake.show('/agents', answers);
    await fake.show('/', answers);
  });

  it('has one total with its parts, and behind the number for a thief exactly its terms', async () => {
    const total = fake.page.locator('.mantine-Card-root').filter({ hasText: 'Total' }).first();
    const lines = (await total.innerText()).split('\n').filter((line) => line !== '');
    expect(lines).toEqual([
      'Total',
      '1,490.61 USDC',
      'Cold wallet 520.00',
      'Treasury 910.19',
      'Agents 60.42',
    ]);
    await button('See how this adds up').click();
    await dialog()
      .getByRole('row', { name: /At most/ })
      .waitFor();
    const rows = await dialog().getByRole('row').allInnerTexts();
    expect(rows.map((row) => row.split(/\s*\t\s*/))).toEqual([
      ['In the treasury’s wallet', '910.19'],
      ['In the wallets of agents', '60.42'],
      ['In the cold wallet, as far as its allowance reaches', '120.00'],
      ['At most', '1,090.61 USDC'],
    ]);
  });

  it('says the month, what waits in one card, and the newest activity with its signs', async () => {
    const conditions = [condition('approvals', '3 wait'), condition('backup_old', 'No backup')];
    const shown = {
      agent: 'scout',
      currency: 'USDC',
      from: { dailyBudget: '5.00' },
      to: { dailyBudget: '8.00' },
    };
    const approvalOf = (approvalId: string) => ({
      approvalId,
      kind: approvalId === 'b' ? ('policy' as const) : ('allocate' as const),
      agentId: 'scout',
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
      shown: { ...shown, amount: `${'abcdef'.indexOf(approvalId) + 1}.00` },
    });
    const spent = { agentId: 'scout', payments: 157, requests: 12 };
    await fake.answer(
      {
        dashboard: { ...snapshot, conditions, pendingApprovals: 6 },
        spending: {
          days: [
            { ...spent, day: new Date().toLocaleDateString('sv-SE'), amount: '43.63' },
            { ...spent, day: '2001-01-31', amount: '9.00' },
          ],
        },
        listApprovals: { approvals: [...'abcdef'].map(approvalOf) },
        activity: ({ query }) => ({
          entries:
            query?.status === 'pending'
              ? [
                  entry('delivered', {
                    kind: 'payment',
                    status: 'pending',
                    state: 'sent',
                    timestamp: new Date().toISOString(),
                    delivered: true,
                  }),
                ]
              : query?.status === undefined
                ? [
                    entry('refunded', { kind: 'refund' }),
                    entry('paid', { kind: 'payment' }),
                    entry('refused', { kind: 'payment', status: 'denied' }),
                  ]
                : [],
        }),
      },
      { type: 'transfer', data: {} } as never,
    );
    const region = (name: string) => fake.page.getByRole('region', { name, exact: true });
    const rows = region('For you').getByRole('listitem');
    await rows.filter({ hasText: 'No backup' }).waitFor();
    // In the order of the inbox, where each is decided.
    const list = (count: number) => region(`Waiting for you (${count})`);
    await list(6).waitFor();
    const waiting = fake.page.locator('[data-request]');
    const ids = async () =>
      (await Promise.all((await waiting.all()).map((one) => one.getAttribute('data-request')))).join('');
    expect(await ids()).toBe('abcde');
    await list(6).getByRole('link', { name: 'All requests' }).waitFor();
    expect(await list(6).getByRole('button').count()).toBe(0);
    const change = waiting.nth(1).filter({ hasText: 'daily budget 5.00 to 8.00' });
    await change
      .getByRole('link', { name: /^Review Research Scout ?: daily budget 5.00 to 8.00$/ })
      .waitFor();
    await change
      .getByRole('timer')
      .filter({ hasText: / left$/ })
      .waitFor();
    // One that comes back before them, as after a denial that was undone, pushes the last out.
    await fake.answer({ listApprovals: { approvals: [...'zabcdef'].map(approvalOf) } }, {
      type: 'approval',
      data: {},
    } as never);
    await list(7).waitFor();
    expect(await ids()).toBe('zabcd');
    const month = fake.page.locator('.mantine-Card-root').filter({ hasText: 'Spent this month' }).last();
    await month.filter({ hasText: /43\.63 USDC\s*157 payments, 12 model requests/ }).waitFor();
    const amounts = region('Recent activity').locator('.amount').locator('..');
    expect(await amounts.allInnerTexts()).toEqual(['+0.75 USDC', '−0.75 USDC', '0.75 USDC']);
    expect(await amounts.last().getAttribute('style')).toContain('line-through');
    expect(await region('Recent activity').getByRole('listitem').first().innerText()).toContain('Refunded');
    // It leads to the request itself, not to the first.
    await waiting.nth(2).getByRole('link', { name: 'Review' }).click();
    await fake.page.locator('article[data-request=b] h2:focus').waitFor();
    await fake.page.waitForFunction('scrollY > 0');
    // Its address leads there as well, and does not outlive the screen.
    const { hash } = new URL(fake.page.url());
    const places = fake.page.getByRole('navigation', { name: 'Places' });
    await places.getByRole('link', { name: 'Overview' }).click();
    await places.getByRole('link', { name: 'Approvals' }).click();
    await fake.page.locator('article[data-request=z] h2:focus').waitFor();
    expect(fake.page.url()).toMatch(/\/#\/approvals$/);
    const listApprovals = { approvals: [...'abc'].map(approvalOf) };
    await fake.show(hash.slice(1), { ...answers, listApprovals });
    await fake.page.locator('article[data-request=b] h2:focus').waitFor();
    await places.locator('[aria-current=page]', { hasText: 'Approvals' }).waitFor();
    // One that is gone gives its focus to no other, which Enter would decide.
    await fake.show('/approvals?request=gone', { ...answers, listApprovals });
    const inbox = fake.page.locator('section:focus').and(region('Waiting for you'));
    await inbox.getByRole('status').filter({ hasText: 'That request no longer waits.' }).waitFor();
    await fake.page.keyboard.press('a');
    expect(await inbox.count()).toBe(1);
    await places.getByRole('link', { name: 'Approvals' }).click();
    await fake.page.getByText('That request no longer waits.').waitFor({ state: 'detached' });
    // What could not be read is read again, and nothing else.
    const failing = new AppError('internal', 'The logins cannot be read.');
    const dashboard = { ...snapshot, pendingApprovals: 3 };
    await fake.show('/', { ...answers, dashboard, listApprovals, listLogins: failing });
    const soon = new Date(Date.now() + 60_000).toISOString();
    await fake.answer({
      listLogins: { logins: [{ terminal: 'laptop', status: 'pending', expiresAt: soon }] },
    });
    const before = fake.askedOf('listApprovals').length;
    await list(3).getByRole('button', { name: 'Try again' }).click();
    await list(4).getByText('Login of the terminal “laptop”').waitFor();
    expect(fake.askedOf('listApprovals').length).toBe(before);
    await fake.show('/', answers);
  });

  it('leads from a day to its payments, from the keyboard too, and from a rank to its page', async () => {
    await fake.page.getByRole('link', { name: /1\.00 USDC in 1 payment, in Activity/ }).focus();
    await fake.page.keyboard.press('ArrowLeft');
    await fake.page.getByRole('link', { name: /4\.00 USDC in 2 payments, in Activity/ }).waitFor();
    await fake.page.keyboard.press('Enter');
    await fake.page.getByRole('heading', { name: 'Activity' }).waitFor();
    const address = new URL(fake.page.url());
    expect([address.search, address.hash]).toEqual(['', `#/activity?from=${day}&to=${day}`]);
    await fake.show('/', answers);
    await fake.page
      .getByRole('region', { name: 'By service' })
      .getByRole('link', { name: 'Sandbox Weather' })
      .first()
      .click();
    await fake.page.getByRole('heading', { name: 'Used by' }).waitFor();
  });

  it('lists what could not be bought, the most frequent first, and nothing where nothing was', async () => {
    const panel = fake.page.getByRole('region', { name: 'What you could not buy' });
    await fake.page.getByRole('region', { name: 'By service' }).waitFor();
    expect(await panel.count()).toBe(0);
    await fake.answer(
      { unpayableSellers: { sellers: [1, 2, 3, 4, 5, 6].map(unpayable) } },
      { type: 'service', data: { serviceId: 'https://1.example.com' } },
    );
    const items = panel.getByRole('listitem');
    const words = 'https://1.example.com: 0.0125 USDC on Base 6 requests from 2 agents';
    await until('the sellers', async () =>
      ((await items.allInnerTexts())[0] ?? '').replace(/\s+/g, ' ').startsWith(words),
    );
    expect(await items.count()).toBe(5);
    await panel.getByRole('button', { name: 'Show more' }).click();
    await items.filter({ hasText: 'https://6.example.com' }).getByText('1 request from 2 agents').waitFor();
  });

  it('splits the bars by group and by service', async () => {
    const legend = fake.page.getByRole('region', { name: 'Spent by day' });
    const other = { ...sum, amount: '1.00' };
    await fake.answer(
      {
        spending: {
          ...spending,
          groups: [...spending.groups, { groupId: '', name: '', ...other }],
          groupDays: [...spending.groupDays, { day, groupId: '', ...other }],
        },
      },
      { type: 'transfer', data: {} } as never,
    );
    await fake.page.getByText('By group', { exact: true }).click();
    await legend.getByText('Research').waitFor();
    await legend.getByText('All others').waitFor();
  });
});

const showTreasury = (more: object = {}): Promise<void> =>
  fake.show('/treasury', {
    dashboard: { ...snapshot, ...more },
    getCold: { cold: { address: cold } },
    activity: ({ query }) =>
      query?.before === undefined
        ? { entries: [], next: 7 }
        : {
            entries: [
              {
                ...withdrawal,
                id: 'wd_2',
                payee: cold,
                amount: '20.00',
                timestamp: '2026-02-01T00:00:00.000Z',
              },
              {
                ...withdrawal,
                id: 'wd_1',
                payee: friend,
                amount: '5.50',
                timestamp: '2026-01-02T12:00:00.000Z',
              },
            ],
            next: null,
          },
  });
const to = (): Locator => fake.page.getByRole('combobox', { name: 'To', exact: true });

describe('a label of an address', () => {
  it('is given, stands beside the address, is changed, and is removed', async () => {
    let labels: { address: string; label: string }[] = [];
    await showTreasury();
    await fake.answer({
      listLabels: () => ({ labels }),
      setLabel: ({ body }) => {
        const { address = '', label = null } = body ?? {};
        labels = label === null ? [] : [{ address, label }];
        return { labels };
      },
    });
    const row = fake.page.getByRole('region', { name: 'Withdrawals' }).getByRole('row', { name: /5\.50/ });
    const give = async (before: string, label: string) => {
      await row.getByRole('button', { name: before }).click();
      await dialog().getByRole('textbox', { name: 'Label' }).fill(label);
      await dialog().getByRole('button', { name: 'Save' }).click();
      await dialog().waitFor({ state: 'detached' });
      // As in another tab, which hears of it.
      await fake.answer({}, { type: 'labels', data: {} });
    };
    await give('Give it a label', 'Accountant');
    await row.getByText('“Accountant”').waitFor();
    await give('Change its label', 'Exchange');
    await row.getByText('“Exchange”').waitFor();
    expect(await row.innerText()).toContain(`${friend.slice(0, 4)}…${friend.slice(-4)}`);
    await to().click();
    await fake.page.getByRole('option', { name: 'You call it “Exchange”.' }).click();
    expect(await to().inputValue()).toBe(friend);
    await give('Change its label', ' ');
    await row.getByRole('button', { name: 'Give it a label' }).waitFor();
    expect(await row.getByText('“').count()).toBe(0);
    expect(fake.asked().at(-1)).toMatchObject(['setLabel', { address: friend, label: null }]);
  });
});

describe('a withdrawal', () => {
  it('offers own wallets and earlier recipients, and warns of a new address', async () => {
    await showTreasury();
    await to().click();
    const option = (name: string | RegExp) => fake.page.getByRole('option', { name });
    await option('Your agent Research Scout’s wallet.').waitFor();
    await option(/You sent 5\.50 USDC there on Jan 2, 2026/).click();
    expect(await to().inputValue()).toBe(friend);
    for (const [address, words] of [
      [cold, 'Your cold wallet.'],
      [stranger, newAddress],
    ] as const) {
      await to().fill(address);
      await fake.page.getByRole('textbox', { name: 'Amount' }).last().fill('3');
      await button('Continue').click();
      await dialog().getByText(words).waitFor();
      const fours = await dialog().locator('pre span').allInnerTexts();
      expect([fours.join(''), Math.max(...fours.map(({ length }) => length))]).toEqual([address, 4]);
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      await dialog().waitFor({ state: 'detached' });
    }
    expect(fake.asked().filter(([route]) => route === 'withdraw')).toEqual([]);
  });

  it('is listed with its recipient, and says why none can be made while the treasury is locked', async () => {
    await showTreasury({ locked: true });
    const list = fake.page.getByRole('region', { name: 'Withdrawals' });
    await list.getByRole('row', { name: /Your cold wallet.*20\.00/ }).waitFor();
    await list.getByRole('row', { name: /5\.50/ }).getByRole('link').click();
    await until('the payment', async () => fake.askedOf('getTransfer').length > 0);
    await showTreasury({ locked: true });
    await sees('The treasury is locked. Unlock it before you send money.');
    expect(await button('Continue').isDisabled()).toBe(true);
  });
});

describe('a deposit', () => {
  it('is sent back to its payer, in part too, and then leads to the withdrawal', async () => {
    const txSignature = '5'.repeat(88);
    const came = {
      currency: 'USDC',
      status: 'final',
      from: friend,
      amount: '5.00',
      mayBeSentBack: true,
    } as const;
    let sentBackBy: string | null = null;
    await fake.show('/treasury', {
      dashboard: snapshot,
      deposits: () => ({
        deposits: [
          { ...came, id: 'one', txSignature, mayBeSentBack: sentBackBy === null, sentBackBy },
          { ...came, id: 'two', from: 'mint', amount: '7.00', mayBeSentBack: false },
        ],
      }),
      withdraw: () => {
        sentBackBy = 'pay_back';
        return { transferId: sentBackBy };
      },
    });
    const row = fake.page.getByRole('region', { name: 'Deposits' }).getByRole('row', { name: /5\.00/ });
    await row.getByRole('button', { name: 'Send back' }).click();
    const amount = dialog().getByRole('textbox', { name: 'Amount' });
    expect(await amount.inputValue()).toBe('5.00');
    await amount.fill('5.01');
    await dialog().getByText('At most 5.00 USDC came in.').waitFor();
    expect(await dialog().getByRole('button', { name: 'Send back' }).isDisabled()).toBe(true);
    await amount.fill('2.5');
    await dialog().getByRole('button', { name: 'Send back' }).click();
    await dialog().waitFor({ state: 'detached' });
    const body = { asset: 'USDC', to: friend, amount: '2.5', refundOf: txSignature };
    expect(fake.asked().filter(([route]) => route === 'withdraw')).toEqual([['withdraw', body]]);
    await row.getByRole('link', { name: 'Sent back' }).waitFor();
    expect(await button('Send back').count()).toBe(0);
  });
});

describe('the page that says how to get money', () => {
  const aside = {
    code: 'aside',
    severity: 'warning',
    isEverywhere: false,
    title: '3.00 USDC is where the treasury cannot spend it',
    text: 'Send it from there.',
  } as const;

  it('names the network to choose, what fees take, and what arrived wrongly', async () => {
    const empty = { amount: '0.00', cold: null, treasury: '0.00', agents: '0.00' };
    const dashboard = { ...snapshot, network: 'mainnet', total: empty, conditions: [aside] } as const;
    await fake.show('/treasury/get', { dashboard });
    for (const text of [
      'In the field “Network”, choose Solana',
      'Send a small amount first',
      '0.05 SOL opens 10 USDC accounts and pays for 2,900 transfers',
      aside.title,
      'SOL has arrived, and no USDC',
      'Another token, such as USDT.',
    ])
      await sees(text);
    await fake.answer({ dashboard: { ...dashboard, total: snapshot.total } }, { type: 'balance' } as never);
    await fake.page.getByText('SOL has arrived, and no USDC').waitFor({ state: 'detached' });
    await fake.show('/treasury/get', { dashboard: snapshot });
    await button('Get test USDC').waitFor();
    expect(await fake.page.getByText('choose Solana').count()).toBe(0);
  });
});

describe('a month on paper', () => {
  it('has all rows of its tables, which the screen cuts', async () => {
    const month = '2026-01';
    const moment = '2026-02-01T00:00:00.000Z';
    const ends = { from: '2026-01-01T00:00:00.000Z', to: moment, closedAt: moment };
    const agents = Array.from({ length: 12 }, (_, n) => ({
      agentId: `agent-${n}`,
      amount: '1.00',
      entries: 1,
    }));
    await fake.show('/books', {
      dashboard: snapshot,
      bookMonths: { zone: 'UTC', months: [{ month, zone: 'UTC', ...ends, state: 'closed', waiting: [] }] },
      bookTotals: { month, now: { agents } },
    });
    const rows = fake.page.getByRole('table', { name: 'By agent' }).getByRole('row');
    await until('the rows', async () => (await rows.count()) === 2 + 8);
    await fake.page.evaluate('window.dispatchEvent(new Event("beforeprint"))');
    expect(await rows.count()).toBe(2 + 12);
    await fake.page.evaluate('window.dispatchEvent(new Event("afterprint"))');
    await until('the rows again', async () => (await rows.count()) === 2 + 8);
  });
});
