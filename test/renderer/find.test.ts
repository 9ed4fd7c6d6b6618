// The palette and the keys of the dashboard: what is found, what Enter does, and that no key alone decides a request.
import { beforeAll, describe, expect, it } from 'vitest';
import { goTo } from '../harness/browser.ts';
import { deploy, until } from '../harness/treasury.ts';
import { scout, seen, treasury, useScout } from './scout-dashboard.ts';

useScout();
beforeAll(async () => {
  await treasury.client.post('/v1/agents/scout/rename', { displayName: 'Research Scout' });
  await deploy(treasury.client, 'planner', { dailyBudget: '5.00', maxPerPayment: '1.00' });
});

const statusOf = async (agentId: string): Promise<unknown> => {
  const { agents } = (await treasury.client.get('/v1/agents')).body as {
    agents: { agentId: string; status: string }[];
  };
  return agents.find((agent) => agent.agentId === agentId)?.status;
};
const openPalette = async (typed: string): Promise<void> => {
  await seen.page.keyboard.press('Control+k');
  await seen.page.getByRole('combobox', { name: 'Find and do' }).fill(typed);
};
const chosen = (label: string) => seen.page.getByRole('option', { name: label, selected: true }).waitFor();
const hash = (): Promise<string> => seen.page.evaluate('location.hash');

describe('the palette', () => {
  it('pauses an agent and lets it pay again', async () => {
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
    await chosen('Give Research Scout money');
    await seen.page.keyboard.press('Enter');
    await seen.page
      .getByRole('dialog', { name: 'Add funds to Research Scout' })
      .getByLabel('Amount')
      .waitFor();
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
    await page.getByRole('combobox', { name: 'Find and do' }).waitFor();
    expect(await sheet.count()).toBe(0);
  });
});

const pending = async (): Promise<string[]> => {
  const { body } = await treasury.client.get('/v1/approvals?limit=50');
  const approvals = body['approvals'] as {
    status: string;
    denyAt: string | null;
    shown: { amount: string };
  }[];
  return approvals
    .filter(({ status, denyAt }) => status === 'pending' && denyAt === null)
    .map(({ shown }) => shown.amount)
    .toSorted();
};
const focused = (): Promise<string> => seen.page.evaluate('document.activeElement.innerText');
const ready = () =>
  seen.page.locator('article button[aria-disabled=true]').first().waitFor({ state: 'detached' });

describe('the keys of the approvals', () => {
  it('move between requests, and decide only with Enter on a button that is ready', async () => {
    const { page } = seen;
    await treasury.client.post('/v1/agents/scout/policy', { approveAbove: '0.10' });
    for (const amount of ['0.21', '0.22', '0.23']) await scout.pay(amount, { prefer: 'wait=0' });
    await until('the requests', async () => (await pending()).length === 3);
    await goTo(page, '/approvals');
    await page.getByRole('article').nth(2).waitFor();
    await ready();
    const inCard = (): Promise<string> =>
      page.evaluate('document.activeElement.closest("article").innerText');
    await until('the focus', async () => (await focused()).includes('asks to make a payment'));
    for (const [key, amount] of [
      ['j', '0.22'],
      ['j', '0.23'],
      ['j', '0.23'],
      ['k', '0.22'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await inCard()).toContain(amount);
    }

    // Words that were meant for another window.
    await page.keyboard.type('add\nkajak\ndad\n', { delay: 0 });
    expect(await pending()).toEqual(['0.21', '0.22', '0.23']);

    await page.keyboard.press('d');
    expect(await focused()).toContain('Deny');
    await ready();
    await page.keyboard.press('Enter');
    await until('the denial', async () => (await pending()).length === 2);
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    const [meant] = /0\.2[123]/.exec(await inCard()) ?? [];
    await page.keyboard.press('a');
    expect(await focused()).toContain('Approve once');
    await ready();
    await page.keyboard.press('Enter');
    await until('the approval', async () => (await pending()).length === 1);
    expect(await pending()).not.toContain(meant);
    await treasury.client.post('/v1/agents/scout/policy', { approveAbove: null });
  });
});
