// The owner's tasks on the dashboard, in a real browser against the real host and sandbox.
import { Keypair } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { goTo } from '../harness/browser.ts';
import { deploy, until } from '../harness/treasury.ts';
import { scout, seen, treasury, useScout } from './scout-dashboard.ts';

useScout();

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
    await page.getByLabel('Most per payment').fill('0.50');
    await page.getByText('at most 0.50 USDC at a time').waitFor();
    await page.getByText('over the most per payment').waitFor();
    expect((await scout.pay('0.80')).status).toBe(200);
    await page.getByRole('button', { name: 'Save policy' }).click();
    await page.getByText('Nothing is changed.').waitFor();
    const refused = await scout.pay('0.80');
    expect([refused.status, refused.body['code']]).toEqual([402, 'max_per_payment']);
    await goTo(page, '/activity');
    await page.getByText('may spend at most 0.50 USDC').first().waitFor();
  });

  it('is told which field is wrong, and nothing is changed', async () => {
    const { page } = seen;
    await goTo(page, '/agents/scout');
    const before = (await treasury.client.get('/v1/agents/scout/policy')).text;
    await page.getByLabel('Daily budget').fill('1,5');
    await page.getByRole('button', { name: 'Save policy' }).click();
    expect(await page.getByLabel('Daily budget').getAttribute('aria-invalid')).toBe('true');
    expect((await treasury.client.get('/v1/agents/scout/policy')).text).toBe(before);
  });

  it('approves one payment and denies another; the agent’s words are shown as plain text', async () => {
    const { page } = seen;
    await treasury.client.post('/v1/agents/scout/policy', { approveAbove: '0.10' });
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
      return body['status'] === 'confirmed';
    });
    await allowed.waitFor({ state: 'detached' });
    await refused.getByRole('button', { name: 'Deny' }).click();
    await refused.waitFor({ state: 'detached' });
    // It can be undone for six seconds: then the treasury carries it out.
    const { body } = await treasury.client.get(`/v1/approvals/${String(unwanted.body['approvalId'])}`);
    expect(body['denyAt'] ?? body['status']).not.toBe('pending');
  });

  it('decides nothing within 700 ms of a request’s appearance, by neither button', async () => {
    const { page } = seen;
    await treasury.client.post('/v1/agents/scout/policy', { approveAbove: '0.10' });
    await goTo(page, '/approvals');
    await page.getByText('Nothing is waiting for you').first().waitFor();
    // The timer that arms the buttons is held until the test releases it, so that a slow machine does not matter.
    await page.evaluate(`
      const later = window.setTimeout;
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
      ['0.23', 'Deny', 'denied'],
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
    await treasury.client.post('/v1/agents/scout/policy', { approveAbove: null });
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
    await page.getByRole('button', { name: 'Pause scout' }).click();
    await page.getByRole('button', { name: 'Resume scout' }).waitFor();
    expect((await scout.pay('0.01')).status).toBe(403);
    expect((await other.pay('0.01')).status).toBe(200);
    await page.getByRole('button', { name: 'Resume scout' }).click();
    await page.getByRole('button', { name: 'Pause scout' }).waitFor();
    expect((await scout.pay('0.01')).status).toBe(200);
  });

  it('withdraws money after a confirmation that repeats the recipient', async () => {
    const { page } = seen;
    const wallet = Keypair.generate().publicKey.toBase58();
    await goTo(page, '/treasury');
    await page.getByLabel('To', { exact: true }).fill(wallet);
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
    await treasury.client.post('/v1/agents/scout/policy', { dailyBudget: '1000', maxPerPayment: '1' });
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
    await page.getByText('Everything is stopped').waitFor();
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
  });
});
