// Accidents that the dashboard prevents: deciding a request, losing edits, raising a limit far too high, and stopping
// everything unknowingly.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { goTo } from '../harness/browser.ts';
import { until } from '../harness/treasury.ts';
import { scout, seen, treasury, useScout } from './scout-dashboard.ts';

useScout();
beforeAll(() => treasury.client.post('/v1/agents/scout/rename', { displayName: 'Scout One' }));

const policy = (change: object) => treasury.client.post('/v1/agents/scout/policy', change);
const policyNow = async () => (await treasury.client.get('/v1/agents/scout/policy')).body['policy'];
const pending = async (): Promise<string[]> => {
  const { body } = await treasury.client.get('/v1/approvals?limit=50');
  const approvals = body['approvals'] as { status: string; approvalId: string }[];
  return approvals.filter(({ status }) => status === 'pending').map(({ approvalId }) => approvalId);
};
/** Asks for payments that wait for the owner. */
const askFor = async (...amounts: string[]): Promise<void> => {
  await policy({ approveAbove: '0.10' });
  for (const amount of amounts) await scout.pay(amount, { prefer: 'wait=0' });
  await until('the requests', async () => (await pending()).length === amounts.length);
};
const card = (page: Page, amount: string) => page.getByRole('article').filter({ hasText: amount });
const armed = (page: Page) =>
  page.locator('article button[aria-disabled=true]').first().waitFor({ state: 'detached' });
const focused = (page: Page): Promise<string> =>
  page.evaluate(`document.activeElement.innerText.replaceAll('\\n', ' ')`);
const press = async (page: Page, ...keys: string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key);
};

describe('the approvals', () => {
  it('decide nothing by a key that is pressed when they open', async () => {
    const { page } = seen;
    await askFor('0.31', '0.32');
    await goTo(page, '/approvals');
    await card(page, '0.31').waitFor();
    await until('the focus', async () => (await focused(page)).includes('asks to make a payment'));
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H2');
    await press(page, 'Space', 'Enter');
    await armed(page);
    await press(page, 'Space', 'Enter', 'Escape');
    expect(await pending()).toHaveLength(2);
    expect(await card(page, '0.31').isVisible()).toBe(true);
  });

  it('report the end of a request that leaves, and move the focus to the next one’s heading', async () => {
    const { page } = seen;
    await goTo(page, '/approvals');
    await card(page, '0.31').waitFor();
    await armed(page);
    await card(page, '0.31').getByRole('button', { name: 'Deny' }).press('Enter');
    await card(page, '0.31').waitFor({ state: 'detached' });
    const word = page.locator('[data-left]');
    expect(await word.innerText()).toMatch(/Declined[^]*Scout One[^]*0.31/);
    expect(await page.getByRole('status').filter({ hasText: 'Declined. 1 waiting for you' }).count()).toBe(1);
    expect(await page.evaluate('document.activeElement.closest("article").innerText')).toContain('0.32');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H2');

    await armed(page);
    await card(page, '0.32').getByRole('button', { name: 'Approve once' }).press('Enter');
    await card(page, '0.32').waitFor({ state: 'detached' });
    await word.filter({ hasText: 'Approved' }).filter({ hasText: '0.32' }).waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Waiting for you');
    // It disappears by itself.
    await word.first().waitFor({ state: 'detached' });
    await policy({ approveAbove: null });
  });

  it('can undo a denial for six seconds; after that it is carried out even without the page', async () => {
    const { page } = seen;
    await askFor('0.33');
    await goTo(page, '/approvals');
    await card(page, '0.33').waitFor();
    await armed(page);
    await card(page, '0.33').getByRole('button', { name: 'Deny' }).press('Enter');
    const word = page.locator('[data-left]').filter({ hasText: '0.33' });
    await word.getByRole('button', { name: 'Undo' }).press('Enter');
    await card(page, '0.33').waitFor();
    expect(await pending()).toHaveLength(1);
    await until('the focus', async () => (await focused(page)).includes('asks to make a payment'));

    await armed(page);
    await card(page, '0.33').getByRole('button', { name: 'Deny' }).click();
    await word.getByRole('button', { name: 'Undo' }).waitFor();
    await page.close();
    await until('the denial', async () => (await pending()).length === 0);
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
    expect(await dialog.innerText()).toMatch(/500.00 USDC instead of 5.00 USDC, 100 times as much/);
    await dialog.getByRole('button', { name: 'Go back' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await pending()).toHaveLength(1);
    const [asked] = await pending();
    await treasury.client.post(`/v1/approvals/${asked ?? ''}/deny`);
    await card(page, '500').waitFor({ state: 'detached' });
  });
});

describe('the keyboard', () => {
  it('reaches a link past the header before the button that stops everything', async () => {
    const { page } = seen;
    await press(page, 'Tab');
    expect(await focused(page)).toBe('Skip to the content');
    await press(page, 'Tab');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Find and do');
    await press(page, 'Tab');
    expect(await focused(page)).toBe('Freeze everything');
    await press(page, 'Shift+Tab', 'Shift+Tab', 'Enter');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN');
    await press(page, 'Tab');
    expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true);
    expect(page.url()).toMatch(/#\/$/);
  });
});

const leave = (page: Page) => page.getByRole('dialog').filter({ hasText: 'Leave without saving?' });

describe('a policy that is not saved', () => {
  it('is not lost by a link, the Back button, a tab of its screen or a reload', async () => {
    const { page } = seen;
    await goTo(page, '/agents');
    await goTo(page, '/agents/scout');
    const budget = page.getByLabel('Daily budget');
    await budget.fill('3.21');
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('tab', { name: 'Policy' }).click();
    expect(await budget.inputValue()).toBe('3.21');

    await page.getByRole('link', { name: 'Overview' }).first().click();
    expect(await leave(page).innerText()).toContain('Your changes to the policy of Scout One are not saved.');
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
    expect(await budget.inputValue()).toBe('5.00');
    await page.getByRole('link', { name: 'Overview' }).first().click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it('needs a second confirmation to raise a limit more than tenfold', async () => {
    const { page } = seen;
    await goTo(page, '/agents/scout');
    const save = page.getByRole('button', { name: 'Save policy' });
    await page.getByLabel('Daily budget').fill('500');
    await save.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Go back' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await policyNow()).toMatchObject({ dailyBudget: '5.00' });
    await save.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Yes, raise it' }).click();
    await page.getByText('Nothing is changed.').waitFor();
    expect(await policyNow()).toMatchObject({ dailyBudget: '500.00' });
    await page.getByLabel('Daily budget').fill('5');
    await save.click();
    await until('the lower budget', async () => (await policyNow())['dailyBudget'] === '5.00');
  });
});

describe('the ceiling', () => {
  it('warns before saving that it is below the sum spent, and then shows until when nothing is paid', async () => {
    const { page } = seen;
    expect((await scout.pay('0.93')).status).toBe(200);
    await until('it to be final', () => treasury.host.engine.context.store.transfers.open().length === 0);
    await goTo(page, '/settings');
    const ceiling = page.getByLabel('Ceiling for 24 hours');
    await ceiling.fill('2.00');
    expect(await page.getByText('in the last 24 hours already').count()).toBe(0);
    await ceiling.fill('0.10');
    await page.getByText('in the last 24 hours already').waitFor();
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByText(/^Nothing is paid until \w+ \d/).waitFor();
    const { body } = await treasury.client.get('/v1/treasury/policy');
    const percent = Math.floor(Number(body['spent']) / 0.1) * 100;
    expect(percent).toBeGreaterThan(900);
    await page
      .getByText(/^\d{1,2},?\d{3} %$|^9\d\d %$/)
      .first()
      .waitFor();
    await goTo(page, '/');
    await page.getByText('Your ceiling for all agents is reached').waitFor();
    await page.getByText(/No agent can pay until \w+ \d/).waitFor();
    expect((await scout.pay('0.000001')).body['code']).toBe('owner_ceiling');

    await goTo(page, '/settings');
    await ceiling.fill('50');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Yes, raise it' }).click();
    await page.getByText('Your ceiling for all agents is reached').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'No ceiling' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('There is no ceiling. Your agents spent').waitFor();
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
