// The owner's tasks on the dashboard, in a real browser against the real host and sandbox; the accidents that it prevents;
// and its palette and keys. One treasury and one page for all.
import { Keypair } from '@solana/web3.js';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { goTo, openDashboard, openServed, useBrowser, type Seen } from '../harness/browser.ts';
import { deploy, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { addLimit, editLimit, limitField, nothingToSave, removeLimit } from '../harness/limit-rows.ts';

useBrowser();

let treasury: Treasury;
let seen: Seen;
let scout: TestAgent;
beforeAll(async () => {
  treasury = await openServed();
  scout = await deploy(treasury.client, 'scout', { dailyBudget: '5.00', maxPerPayment: '1.00' });
  await treasury.client.post('/v1/agents/scout/rename', { displayName: 'Research Scout' });
  seen = await openDashboard(treasury);
});
afterAll(async () => {
  await seen.close();
  await treasury.close();
});
beforeEach(() => goTo(seen.page, '/'));
afterEach(() => {
  expect(seen.complaints.splice(0)).toEqual([]);
});

const policy = (change: object) => treasury.client.post('/v1/agents/scout/policy', change);
const policyNow = async () => (await treasury.client.get('/v1/agents/scout/policy')).body['policy'];
interface Approval {
  status: string;
  denyAt: string | null;
  approvalId: string;
  shown: { amount: string };
}
const requests = async (): Promise<Approval[]> => {
  const { body } = await treasury.client.get('/v1/approvals?limit=50');
  return (body['approvals'] as Approval[]).filter(({ status }) => status === 'pending');
};
/** Without those whose denial can still be undone. */
const pending = async () => (await requests()).filter(({ denyAt }) => denyAt === null);
const amounts = async () => (await pending()).map(({ shown }) => shown.amount).toSorted();

const say = (amount: string, description: string) => {
  const body = { service: 'sandbox-weather', amount, currency: 'USDC', description };
  return scout.client.post('/v1/agents/scout/pay', body, { prefer: 'wait=0' });
};

describe('the owner', () => {
  it('deploys an agent, gives it money, and sees its payment without a reload', async () => {
    const { page } = seen;
    await goTo(page, '/agents');
    await page.getByRole('button', { name: 'New agent' }).first().click();
    await page.getByLabel('Name').fill('Painter');
    await page.getByLabel('Starting funds').fill('3.00');
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('dialog').getByText('Waiting for Painter’s first call').waitFor();
    const { body: balance } = await treasury.client.get('/v1/agents/painter/balance');
    expect(balance['balance']).toBe('3.00');

    await goTo(page, '/');
    await scout.pay('0.07');
    await page.getByRole('region', { name: 'Recent activity' }).getByText('0.07').waitFor();
  });

  it('edits a policy, sees its meaning and its effect on past payments, and the agent is refused accordingly', async () => {
    const { page } = seen;
    expect((await scout.pay('0.90')).status).toBe(200);
    await goTo(page, '/agents/scout');
    await (await limitField(page, 'Maximum per payment')).fill('0.50');
    await page.getByText('at most 0.50 USDC at a time').waitFor();
    await page.getByText('over the maximum per payment').waitFor();
    expect((await scout.pay('0.80')).status).toBe(200);
    await page.getByRole('button', { name: 'Save policy' }).click();
    await nothingToSave(page);
    const refused = await scout.pay('0.80');
    expect([refused.status, refused.body['code']]).toEqual([402, 'max_per_payment']);
    await goTo(page, '/activity');
    await page.getByText('may spend at most 0.50 USDC').first().waitFor();
  });

  it('is told which field is wrong, and nothing is changed', async () => {
    const { page } = seen;
    await goTo(page, '/agents/scout');
    const before = (await treasury.client.get('/v1/agents/scout/policy')).text;
    const budget = await limitField(page, 'Daily budget');
    await budget.fill('1,5');
    await page.getByRole('button', { name: 'Save policy' }).click();
    expect(await budget.getAttribute('aria-invalid')).toBe('true');
    expect((await treasury.client.get('/v1/agents/scout/policy')).text).toBe(before);
    await page.getByRole('button', { name: 'Discard changes' }).click();
  });

  it('approves one payment and denies another; the agent’s words are shown as plain text', async () => {
    const { page } = seen;
    await policy({ approveAbove: '0.10' });
    const wanted = await say('0.21', '<img src=x onerror="document.title=1"> http://evil.example');
    const unwanted = await say('0.22', 'please');
    await goTo(page, '/approvals');
    // By its id: one card tells the budget that another has used.
    const cardOf = ({ body }: typeof wanted) =>
      page.locator(`article[data-request="${String(body['approvalId'])}"]`);
    const [allowed, refused] = [cardOf(wanted), cardOf(unwanted)];
    await allowed.waitFor();
    expect(await allowed.getByText('<img src=x').isVisible()).toBe(true);
    expect(await allowed.getByRole('link', { name: 'evil' }).count()).toBe(0);

    await allowed.getByRole('button', { name: 'Approve once' }).click();
    await until('it to be paid', async () => {
      const { body } = await treasury.client.get(`/v1/transfers/${String(wanted.body['paymentId'])}`);
      return body['status'] === 'confirmed' && body['approved']?.from === 'dashboard';
    });
    await allowed.waitFor({ state: 'detached' });
    await refused.getByRole('button', { name: 'Decline' }).click();
    await refused.waitFor({ state: 'detached' });
    // It can be undone for six seconds: then the treasury carries it out.
    const { body } = await treasury.client.get(`/v1/approvals/${String(unwanted.body['approvalId'])}`);
    expect(body['denyAt'] ?? body['status']).not.toBe('pending');
  });

  it('decides nothing within 700 ms of a request’s appearance, by neither button', async () => {
    const { page } = seen;
    await policy({ approveAbove: '0.10' });
    await goTo(page, '/approvals');
    await page.getByText('Nothing is waiting for you').first().waitFor();
    // The timer that arms the buttons is held until the test releases it, so that a slow machine does not matter.
    await page.evaluate(`
      const later = (window.later = window.setTimeout);
      window.held = [];
      window.setTimeout = (work, ms, ...more) => ms === 700 ? window.held.push(work) : later(work, ms, ...more);
    `);
    const ask = async (amount: string) => {
      const asked = await say(amount, '');
      const id = String(asked.body['approvalId']);
      const path = `/v1/approvals/${id}`;
      const card = page.locator(`article[data-request="${id}"]`);
      await card.waitFor();
      const state = async (): Promise<unknown> => {
        const { status, denyAt } = (await treasury.client.get(path)).body;
        return denyAt === null ? status : 'denied';
      };
      return { card, state };
    };
    for (const [amount, name, outcome] of [
      ['0.23', 'Decline', 'denied'],
      ['0.24', 'Approve once', 'granted'],
    ] as const) {
      const { card, state } = await ask(amount);
      const button = card.getByRole('button', { name });
      // As somebody who was about to press where it appeared.
      await button.click({ force: true });
      expect(await button.getAttribute('aria-disabled')).toBe('true');
      expect(await state()).toBe('pending');
      await page.evaluate('for (const work of window.held.splice(0)) work()');
      await button.click();
      await until(outcome, async () => (await state()) === outcome);
      await card.waitFor({ state: 'detached' });
    }
    await page.evaluate('window.setTimeout = window.later');
    await policy({ approveAbove: null });
  });

  it('lets a terminal in after comparing its code', async () => {
    const { page } = seen;
    const { body: login } = await treasury.client.post(
      '/v1/logins',
      { terminal: 'maker on workstation' },
      { token: null, owner: null },
    );
    await goTo(page, '/approvals');
    const card = page.getByRole('article').filter({ hasText: 'maker on workstation' });
    expect(await card.innerText()).toContain(login['code']);
    await card.getByRole('button', { name: 'Codes match, allow' }).click();
    await until('the grant', async () => {
      const path = `/v1/logins/${String(login['loginId'])}/claim`;
      const { body } = await treasury.client.post(path, { pollSecret: login['pollSecret'] });
      return body['token'] !== null;
    });
  });

  it('pauses one agent with one click; the others go on', async () => {
    const { page } = seen;
    const other = await deploy(treasury.client, 'other');
    await goTo(page, '/agents');
    await page.getByRole('button', { name: 'Pause Research Scout' }).click();
    await page.getByRole('button', { name: 'Resume Research Scout' }).waitFor();
    expect((await scout.pay('0.01')).status).toBe(403);
    expect((await other.pay('0.01')).status).toBe(200);
    await page.getByRole('button', { name: 'Resume Research Scout' }).click();
    await page.getByRole('button', { name: 'Pause Research Scout' }).waitFor();
    expect((await scout.pay('0.01')).status).toBe(200);
  });

  it('withdraws money after a confirmation that repeats the recipient', async () => {
    const { page } = seen;
    const wallet = Keypair.generate().publicKey.toBase58();
    await goTo(page, '/treasury');
    await page.getByRole('combobox', { name: 'To', exact: true }).fill(wallet);
    await page.getByLabel('Amount').last().fill('12.34');
    await page.getByRole('button', { name: 'Continue' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(wallet).waitFor();
    await dialog.getByRole('button', { name: /^Withdraw|^Send/ }).click();
    await until('it to be on its way', async () => {
      const { body } = await treasury.client.get('/v1/activity?kind=withdrawal');
      return body['entries'].length === 1 && body['entries'][0].status === 'confirmed';
    });
    await page.keyboard.press('Escape');
  });

  it('freezes everything with one click while payments run: nothing is signed afterwards', async () => {
    const { page } = seen;
    await policy({ dailyBudget: '1000', maxPerPayment: '1' });
    const { store } = treasury.host.engine.context;
    const payments = () => [...store.transfers.iterate({ kinds: ['payment'] })];
    let refused = 0;
    // Each goes on until it was refused ten times.
    const payers = Array.from({ length: 8 }, async () => {
      for (let mine = 0; mine < 10;) {
        const { body } = await scout.pay('0.000001', { prefer: 'wait=1' });
        if (body['code'] !== 'frozen') continue;
        mine += 1;
        refused += 1;
      }
    });
    await until('payments to run', () => payments().length > 50);
    await page.getByRole('button', { name: 'Freeze everything' }).click();
    await page.getByText('Everything is stopped').first().waitFor();
    const since = store.freeze.get()?.since ?? 0;
    await Promise.all(payers);
    expect(refused).toBe(80);
    expect(since).toBeGreaterThan(0);
    // The freeze is on disk before it is reported, at the millisecond that it names or before.
    expect(payments().filter(({ signed }) => signed !== null && signed.at > since)).toEqual([]);
    expect((await scout.pay('0.01')).body['code']).toBe('frozen');

    await page.getByRole('button', { name: 'Unfreeze' }).click();
    await page.getByRole('button', { name: 'Keep everything stopped' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(store.freeze.get()).not.toBeNull();
    await page.getByRole('button', { name: 'Unfreeze' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unfreeze' }).click();
    await page.getByRole('button', { name: 'Freeze everything' }).waitFor();
    await until('payments to be possible', async () => (await scout.pay('0.01')).status === 200);
    await policy({ dailyBudget: '5.00' });
  });
});

/** Asks for payments that wait for the owner, until the page knows of them. */
const askFor = async (...wanted: string[]): Promise<void> => {
  await policy({ approveAbove: '0.10' });
  for (const amount of wanted) await scout.pay(amount, { prefer: 'wait=0' });
  const places = seen.page.getByRole('navigation', { name: 'Places' }).first();
  await places.getByLabel(`${wanted.length} waiting`).waitFor();
};
const card = (page: Page, amount: string) => page.getByRole('article').filter({ hasText: amount });
const armed = (page: Page) =>
  page.locator('article button[aria-disabled=true]').first().waitFor({ state: 'detached' });
const focused = (page: Page): Promise<string> =>
  page.evaluate(`document.activeElement.innerText.replaceAll('\\n', ' ')`);
/** The page moves the focus to the first request's heading. */
const onHeading = (page: Page) => page.locator('article h2:focus').first().waitFor();
const press = async (page: Page, ...keys: string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key);
};

describe('the approvals', () => {
  it('decide nothing by a key that is pressed when they open', async () => {
    await askFor('0.31', '0.32');
    const { page, complaints, close } = await openDashboard(treasury, '/approvals');
    await card(page, '0.31').waitFor();
    await onHeading(page);
    await press(page, 'Space', 'Enter');
    await armed(page);
    await press(page, 'Space', 'Enter', 'Escape');
    expect(await pending()).toHaveLength(2);
    expect(await card(page, '0.31').isVisible()).toBe(true);
    await close();
    expect(complaints).toEqual([]);
  });

  it('report the end of a request that leaves, and move the focus to the next one’s heading', async () => {
    const { page } = seen;
    await goTo(page, '/approvals');
    await card(page, '0.31').waitFor();
    await armed(page);
    await card(page, '0.31').getByRole('button', { name: 'Decline' }).press('Enter');
    await card(page, '0.31').waitFor({ state: 'detached' });
    const word = (amount: string) => page.locator('[data-left]').filter({ hasText: amount });
    expect(await word('0.31').innerText()).toMatch(/Declined[^]*Research Scout[^]*0.31/);
    expect(await page.getByRole('status').filter({ hasText: 'Declined. 1 waiting for you' }).count()).toBe(1);
    expect(await page.evaluate('document.activeElement.closest("article").innerText')).toContain('0.32');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H2');

    await armed(page);
    await card(page, '0.32').getByRole('button', { name: 'Approve once' }).press('Enter');
    await card(page, '0.32').waitFor({ state: 'detached' });
    await word('0.32').filter({ hasText: 'Approved' }).waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Waiting for you');
    // It disappears by itself.
    await word('0.31').waitFor({ state: 'detached' });
    await policy({ approveAbove: null });
  });

  it('can undo a denial for six seconds; after that it is carried out even without the page', async () => {
    await askFor('0.33');
    const { page, complaints } = await openDashboard(treasury, '/approvals');
    await card(page, '0.33').waitFor();
    await armed(page);
    await card(page, '0.33').getByRole('button', { name: 'Decline' }).press('Enter');
    const word = page.locator('[data-left]').filter({ hasText: '0.33' });
    await word.getByRole('button', { name: 'Undo' }).press('Enter');
    await card(page, '0.33').waitFor();
    expect(await pending()).toHaveLength(1);
    await onHeading(page);

    await armed(page);
    await card(page, '0.33').getByRole('button', { name: 'Decline' }).click();
    await word.getByRole('button', { name: 'Undo' }).waitFor();
    await page.close();
    await until('the denial', async () => (await requests()).length === 0);
    expect(complaints).toEqual([]);
    await policy({ approveAbove: null });
  });

  it('ask twice before a policy allows an agent more than ten times as much', async () => {
    const { page } = seen;
    await scout.client.post('/v1/agents/scout/policy', { dailyBudget: '500.00' });
    await goTo(page, '/approvals');
    await card(page, '500').waitFor();
    await armed(page);
    await card(page, '500').getByRole('button', { name: 'Approve' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.innerText()).toMatch(
      /500.00 USDC instead of 5.00 USDC. That’s 100 times today’s limit./,
    );
    await dialog.getByRole('button', { name: 'Go back' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await pending()).toHaveLength(1);
    const [asked] = await pending();
    await treasury.client.post(`/v1/approvals/${asked?.approvalId ?? ''}/deny`);
    await card(page, '500').waitFor({ state: 'detached' });
  });
});

describe('the keyboard', () => {
  it('reaches a link past the header before the button that stops everything', async () => {
    const { page, complaints, close } = await openDashboard(treasury);
    await press(page, 'Tab');
    expect(await focused(page)).toBe('Skip to the content');
    await press(page, 'Tab');
    expect(await focused(page)).toBe('Overview');
    const labels: unknown[] = [];
    while (labels.at(-1) !== 'Freeze everything' && labels.length < 20) {
      await press(page, 'Tab');
      labels.push(await page.evaluate('document.activeElement.getAttribute("aria-label")'));
    }
    expect(labels.slice(-3)).toEqual(['Find or run a command', 'Notices', 'Freeze everything']);
    await page.locator('.skip-link').focus();
    await press(page, 'Enter');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN');
    await press(page, 'Tab');
    expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true);
    expect(page.url()).toMatch(/#\/$/);
    await close();
    expect(complaints).toEqual([]);
  });
});

const leave = (page: Page) => page.getByRole('dialog').filter({ hasText: 'Leave without saving?' });

describe('a policy that is not saved', () => {
  it('is not lost by a link, the Back button, a tab of its screen or a reload', async () => {
    const { page } = seen;
    await goTo(page, '/agents');
    await goTo(page, '/agents/scout');
    const budget = await limitField(page, 'Daily budget');
    await budget.fill('3.21');
    await page.getByRole('tab', { name: 'History' }).click();
    expect(page.url()).toMatch(/\/agents\/scout\/history$/);
    await page.getByRole('tab', { name: 'Policy' }).click();
    expect(await budget.inputValue()).toBe('3.21');

    await page.getByRole('link', { name: 'Overview' }).first().click();
    expect(await leave(page).innerText()).toContain(
      'Your changes to the policy of Research Scout are not saved.',
    );
    await leave(page).getByRole('button', { name: 'Stay here' }).click();
    await leave(page).waitFor({ state: 'detached' });
    expect([page.url(), await budget.inputValue()]).toEqual([
      expect.stringContaining('/agents/scout'),
      '3.21',
    ]);

    await page.goBack();
    await leave(page).getByRole('button', { name: 'Stay here' }).click();
    await leave(page).waitFor({ state: 'detached' });
    expect([page.url(), await budget.inputValue()]).toEqual([
      expect.stringContaining('/agents/scout'),
      '3.21',
    ]);

    const asked = page.waitForEvent('dialog').then(async (dialog) => {
      await dialog.dismiss();
      return dialog.type();
    });
    // The page stays, so that the reload never ends.
    void page.reload().catch(() => {});
    expect(await asked).toBe('beforeunload');
    expect(await budget.inputValue()).toBe('3.21');

    await page.goBack();
    await leave(page).getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    await goTo(page, '/agents/scout');
    await editLimit(page, 'Daily budget');
    expect(await budget.inputValue()).toBe('5.00');
    await page.getByRole('link', { name: 'Overview' }).first().click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it('needs a second confirmation to raise a limit more than tenfold', async () => {
    const { page } = seen;
    await goTo(page, '/agents/scout');
    const save = page.getByRole('button', { name: 'Save policy' });
    await (await limitField(page, 'Daily budget')).fill('500');
    await save.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Go back' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await policyNow()).toMatchObject({ dailyBudget: '5.00' });
    await save.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Yes, raise it' }).click();
    await nothingToSave(page);
    expect(await policyNow()).toMatchObject({ dailyBudget: '500.00' });
    await (await limitField(page, 'Daily budget')).fill('5');
    await save.click();
    await nothingToSave(page);
    expect(await policyNow()).toMatchObject({ dailyBudget: '5.00' });
  });
});

describe('the ceiling', () => {
  it('warns before saving that it is below the sum spent, and then shows until when nothing is paid', async () => {
    const { page } = seen;
    expect((await scout.pay('0.93')).status).toBe(200);
    await until('it to be final', () => treasury.host.engine.context.store.transfers.open().length === 0);
    await goTo(page, '/settings');
    await addLimit(page, 'Limit the spending in any 24 hours');
    const ceiling = page.getByRole('textbox', { name: 'Daily budget' });
    const save = page.getByRole('button', { name: 'Save limits' });
    await ceiling.fill('20.00');
    expect(await page.getByText('is spent already').count()).toBe(0);
    await ceiling.fill('0.10');
    await page.getByText('is spent already').waitFor();
    await save.click();
    await nothingToSave(page);
    await page.locator('[data-free]').first().waitFor();
    const { body } = await treasury.client.get('/v1/treasury/policy');
    expect(Number(body['spent'])).toBeGreaterThan(0.9);
    await goTo(page, '/');
    await page.getByText('Your daily limit for all agents is reached').waitFor();
    await page.getByText(/No agent can pay until \w+ \d/).waitFor();
    expect((await scout.pay('0.000001')).body['code']).toBe('owner_ceiling');

    await goTo(page, '/settings');
    await editLimit(page, 'Daily budget');
    await ceiling.fill('50');
    await save.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Yes, raise it' }).click();
    await page.getByText('Your daily limit for all agents is reached').waitFor({ state: 'detached' });
    await editLimit(page, 'Daily budget');
    await removeLimit(page, 'Daily budget');
    await save.click();
    await page.getByRole('dialog').getByText('Daily budget: no limit instead of').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Yes, remove it' }).click();
    await nothingToSave(page);
    expect((await treasury.client.get('/v1/treasury/policy')).body).toMatchObject({ dailyBudget: null });
  });
});

describe('a stop of everything', () => {
  it('lists the waiting requests that it declined, and lifting it lists them again', async () => {
    const { page } = seen;
    await askFor('0.41', '0.42');
    await page.getByRole('button', { name: 'Freeze everything' }).click();
    const said = page.getByRole('status').filter({ hasText: 'Everything is stopped' });
    await said.getByText('2 waiting requests were declined').waitFor();
    expect(await said.innerText()).toMatch(/You froze everything on/);
    expect(await said.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('0.42'),
      expect.stringContaining('0.41'),
    ]);
    await page.getByRole('button', { name: 'Unfreeze' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.innerText()).toContain('The 2 requests that it declined stay declined');
    await dialog.getByRole('button', { name: 'Unfreeze' }).click();
    await page.getByText('Your agents can pay again. The 2 requests').waitFor();
    await policy({ approveAbove: null });
  });
});

const statusOf = async (agentId: string): Promise<unknown> => {
  const { agents } = (await treasury.client.get('/v1/agents')).body as {
    agents: { agentId: string; status: string }[];
  };
  return agents.find((agent) => agent.agentId === agentId)?.status;
};
const openPalette = async (typed: string): Promise<void> => {
  await seen.page.keyboard.press('Control+k');
  await seen.page.getByRole('combobox', { name: 'Find or run a command' }).fill(typed);
};
const chosen = (label: string) => seen.page.getByRole('option', { name: label, selected: true }).waitFor();
const hash = (): Promise<string> => seen.page.evaluate('location.hash');

describe('the palette', () => {
  it('opens where an address leads nowhere', async () => {
    const { page } = seen;
    await goTo(page, '/nowhere');
    await page.getByRole('button', { name: 'Open search' }).click();
    await page.getByRole('combobox', { name: 'Find or run a command' }).press('Escape');
  });

  it('pauses an agent and lets it pay again', async () => {
    await deploy(treasury.client, 'planner', { dailyBudget: '5.00', maxPerPayment: '1.00' });
    await openPalette('pause sco');
    await chosen('Pause Research Scout');
    await seen.page.keyboard.press('Enter');
    await seen.page.getByText('Research Scout is paused.').waitFor();
    expect([await statusOf('scout'), await statusOf('planner')]).toEqual(['suspended', 'active']);
    await openPalette('resume research');
    await chosen('Resume Research Scout');
    await seen.page.keyboard.press('Enter');
    await until('the agent', async () => (await statusOf('scout')) === 'active');
  });

  it('opens the dialog that gives an agent money, and moves none by itself', async () => {
    await openPalette('give research');
    await chosen('Add funds to Research Scout');
    await seen.page.keyboard.press('Enter');
    await seen.page
      .getByRole('dialog', { name: 'Add funds to Research Scout' })
      .getByLabel('Amount')
      .waitFor();
    await seen.page.keyboard.press('Escape');
  });

  it('finds a payment, a service, an agent by its id and a screen', async () => {
    const { body } = await scout.pay('0.13');
    await openPalette(String(body['paymentId']));
    await chosen('Sandbox Weather, 0.13 USDC');
    await seen.page.keyboard.press('Enter');
    expect(await hash()).toBe(`#/activity/${String(body['paymentId'])}`);
    await openPalette('weather');
    await seen.page.getByRole('option', { name: 'Sandbox Weather Service' }).waitFor();
    await seen.page.keyboard.press('Escape');
    await openPalette('scout');
    await chosen('Research Scout');
    await seen.page.keyboard.press('Enter');
    expect(await hash()).toBe('#/agents/scout');
    await openPalette('settings');
    await chosen('Settings');
    await seen.page.keyboard.press('Enter');
    expect(await hash()).toBe('#/settings');
  });
});

describe('the keys of the approvals', () => {
  it('move between requests, and decide only with Enter on a button that is ready', async () => {
    await askFor('0.21', '0.22', '0.23');
    const { page, complaints, close } = await openDashboard(treasury, '/approvals');
    await page.getByRole('article').nth(2).waitFor();
    await armed(page);
    const inCard = (): Promise<string> =>
      page.evaluate('document.activeElement.closest("article").innerText');
    await onHeading(page);
    for (const [key, amount] of [
      ['j', '0.22'],
      ['j', '0.23'],
      ['j', '0.23'],
      ['k', '0.22'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await inCard()).toContain(amount);
    }

    // Words that were meant for another window, a sign every 20 ms by the page's clock: a busy machine types slowly.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 1_000);
    for (const sign of 'add\nkajak\ndad\n') {
      await page.keyboard.press(sign === '\n' ? 'Enter' : sign);
      await page.clock.runFor(20);
    }
    expect(await amounts()).toEqual(['0.21', '0.22', '0.23']);
    await page.clock.resume();

    await page.keyboard.press('d');
    expect(await focused(page)).toContain('Decline');
    await armed(page);
    await page.keyboard.press('Enter');
    await until('the denial', async () => (await pending()).length === 2);
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    const [meant] = /0\.2[123]/.exec(await inCard()) ?? [];
    await page.keyboard.press('a');
    expect(await focused(page)).toContain('Approve once');
    await armed(page);
    await page.keyboard.press('Enter');
    await until('the approval', async () => (await pending()).length === 1);
    expect(await amounts()).not.toContain(meant);
    await policy({ approveAbove: null });
    await close();
    expect(complaints).toEqual([]);
  });
});

// Last: they stay switched off.
describe('single keys', () => {
  it('put the cursor into the search, show the keys, do nothing while typing, and can be switched off', async () => {
    const { page } = seen;
    await goTo(page, '/activity');
    await page.keyboard.press('/');
    const search = page.getByRole('searchbox', { name: 'Search in the activity' });
    await page.keyboard.type('a?/');
    expect(await search.inputValue()).toBe('a?/');
    await page.locator('main').focus();
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.getByRole('switch', { name: 'Single keys' }).click();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find or run a command' }).waitFor();
    expect(await sheet.count()).toBe(0);
  });
});
