// A new owner, from the one-time address to the first payment and on: without a mouse, with another login, and with a
// terminal that is let in beside the line that it runs.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goTo, openPage, openServed, useBrowser, type Seen } from '../harness/browser.ts';
import { createClient, type Client } from '../harness/http-client.ts';
import { deploy, until, type Treasury } from '../harness/treasury.ts';

useBrowser();

let treasury: Treasury;
let seen: Seen;
let agent: Client;
beforeAll(async () => {
  treasury = await openServed();
  seen = await openPage(treasury.host.url);
});
afterAll(async () => {
  agent?.close();
  await seen.close();
  await treasury.close();
  expect(seen.complaints).toEqual([]);
});

let pressed = 0;
const press = async (page: Page, key: string): Promise<void> => {
  pressed += 1;
  await page.keyboard.press(key);
};
const mostStops = 150;
/** Tabs on to an element, and fails if Tab alone does not reach it. */
const tabTo = async (page: Page, role: 'button' | 'link' | 'textbox', name: string): Promise<void> => {
  const wanted = page.getByRole(role, { name });
  await wanted.first().waitFor();
  const isThere = async (): Promise<boolean> => (await wanted.and(page.locator(':focus')).count()) > 0;
  for (let stops = 0; !(await isThere()); stops += 1) {
    expect(stops, `Tab does not reach the ${role} “${name}”`).toBeLessThan(mostStops);
    await press(page, 'Tab');
  }
};
const pushButton = async (page: Page, name: string): Promise<void> => {
  await tabTo(page, 'button', name);
  // A decision can be taken a moment after its request has appeared.
  await page.locator(':focus[aria-disabled=true]').waitFor({ state: 'detached' });
  await press(page, 'Enter');
};
const follow = async (page: Page, name: string): Promise<void> => {
  await tabTo(page, 'link', name);
  await press(page, 'Enter');
};
const pay = async (amount: string) => {
  const body = { service: 'sandbox-weather', amount, currency: 'USDC' };
  return agent.post('/v1/agents/scout/pay', body, { prefer: 'wait=0' });
};
const isPaid = async (paymentId: unknown): Promise<boolean> =>
  (await treasury.client.get(`/v1/transfers/${String(paymentId)}`)).body['status'] === 'confirmed';

describe('an owner without a mouse', () => {
  it('creates a first agent and copies its connection', async () => {
    const { page } = seen;
    await page.goto(treasury.host.newLoginUrl() ?? '');
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    expect(page.url()).not.toContain('login');
    await page.locator('summary', { hasText: 'Deposit address' }).press('Enter');
    await page.getByText(treasury.owner).first().waitFor();
    // On a phone the tabs would cover the button.
    await page.setViewportSize({ width: 380, height: 800 });
    expect(await page.getByRole('navigation', { name: 'Places' }).count()).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await pushButton(page, 'Next: your first agent');
    await tabTo(page, 'textbox', 'Name');
    await page.keyboard.type('scout');
    await pushButton(page, 'Create agent');
    await page.getByRole('heading', { name: 'Connect scout' }).waitFor();
    const [key = ''] = /atk_[\w-]+/.exec(await page.content()) ?? [];
    agent = createClient(treasury.host.url, treasury.owner, key);
    await pushButton(page, 'Go to the overview');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const { policy } = (await agent.get('/v1/agents/scout/policy')).body;
    expect(policy).toMatchObject({ newPayees: 'approve', dailyBudget: '5.00', maxPerPayment: '1.00' });
    // The API key is no longer in the page, nor in any storage.
    const kept = await page.evaluate(
      'document.documentElement.outerHTML + JSON.stringify({ ...sessionStorage, ...localStorage })',
    );
    expect(String(kept)).not.toContain(key);
  });

  it('approves its first payment', async () => {
    const { page } = seen;
    const { body } = await pay('0.20');
    expect(body['status']).toBe('awaiting_approval');
    await follow(page, 'Approvals');
    await pushButton(page, 'Approve once');
    await until('the payment', () => isPaid(body['paymentId']));
  });

  it('raises a limit from the refusal, and the agent is paid at its next try', async () => {
    const { page } = seen;
    const refused = await pay('1.50');
    expect([refused.status, refused.body['code']]).toEqual([402, 'max_per_payment']);
    await follow(page, 'Activity');
    await page.getByRole('row').filter({ hasText: 'Refused' }).first().waitFor();
    // Tab stops at the newest row alone.
    await follow(page, 'Sandbox Weather');
    await pushButton(page, 'Allow up to 1.50 USDC per payment');
    await page.getByText('can try again now').first().waitFor();
    const { body } = await pay('1.50');
    await until('the payment', () => isPaid(body['paymentId']));
  });

  it('stops everything, and lifts the stop', async ({ annotate }) => {
    const { page } = seen;
    await pushButton(page, 'Freeze everything');
    await until('the stop', () => treasury.host.engine.context.store.freeze.get() !== null);
    const stopped = await pay('0.01');
    expect([stopped.status, stopped.body['code']]).toEqual([403, 'frozen']);
    await pushButton(page, 'Unfreeze');
    // The dialog has a button of the same name. It takes the focus once it is open.
    await page.getByRole('dialog').locator(':focus').waitFor();
    await pushButton(page, 'Unfreeze');
    await until('the end of the stop', async () => (await pay('0.02')).status < 300);
    await annotate(`${pressed} keys, besides those of the name`);
  });
});

describe('another page', () => {
  it('meets a used login, and signs in with the owner’s token instead', async () => {
    const login = treasury.host.newLoginUrl() ?? '';
    const first = await openPage(treasury.host.url);
    await first.page.goto(login);
    await first.page.getByRole('heading', { name: 'Overview' }).waitFor();
    const other = await openPage(treasury.host.url);
    await other.page.goto(login);
    await other.page.getByText('This login was used before').waitFor();
    await other.page
      .getByRole('textbox', { name: 'Owner token' })
      .fill(readFileSync(treasury.host.cookieFile ?? '', 'utf8'));
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByRole('heading', { name: 'Overview' }).waitFor();
    await first.close();
    await other.close();
    // The browser itself reports the 401 of the used login.
    expect([...first.complaints, ...other.complaints].filter((one) => !one.includes('401'))).toEqual([]);
  });

  it('shows nothing without a login', async () => {
    const { page, close } = await openPage(treasury.host.url);
    await page.goto(treasury.host.url);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.content()).not.toContain(treasury.owner);
    await close();
  });
});

const keyIn = (text: string): string => /atk_[\w-]+/.exec(text)?.[0] ?? '';

describe('the last step of a new owner', () => {
  it('gives a line without a key, lets its terminal in, and turns green at the first call', async () => {
    const fresh = await openServed();
    const { page, complaints, close } = await openPage(fresh.host.url);
    await page.goto(fresh.host.newLoginUrl() ?? '');
    await page.getByRole('button', { name: 'Next: your first agent' }).click();
    await page.getByLabel('Name').fill('Scout');
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByText('Waiting for Scout’s first call').waitFor();
    const line = await page.getByRole('region', { name: 'Line that installs into Claude Code' }).innerText();
    expect(line).toMatch(/ mcp install claude-code --agent scout --yes$/);
    expect(line).toContain(`--data ${fresh.dataDir}`);
    expect(keyIn(line)).toBe('');
    expect(await page.getByText(/weather in Lisbon/).isVisible()).toBe(true);

    await page.getByRole('button', { name: 'Copy' }).first().click();
    const { body } = await fresh.client.post('/v1/logins', { terminal: 'me here' }, { token: null });
    await page.getByText(String(body['code'])).waitFor();
    await page.getByRole('button', { name: 'Codes match, allow' }).click();
    await until('the terminal to be in', async () => {
      const claim = `/v1/logins/${body['loginId']}/claim`;
      const { status } = (await fresh.client.post(claim, { pollSecret: body['pollSecret'] }, { token: null }))
        .body;
      return status === 'granted';
    });

    await page.getByRole('tab', { name: 'JSON' }).click();
    const key = keyIn(await page.getByRole('tabpanel').innerText());
    const caller = createClient(fresh.host.url, fresh.owner, key);
    // A search needs no key, and is a call all the same.
    await caller.get('/v1/services/search?q=weather');
    await page.getByText('Scout is connected').waitFor();
    await page.getByText('Waiting for Scout').first().waitFor({ state: 'detached' });
    // The first payment to anybody new waits for the owner, who decides it on this page and sees it paid.
    await caller.post('/v1/agents/scout/pay', {
      service: 'sandbox-weather',
      amount: '0.01',
      currency: 'USDC',
      description: 'the weather in Lisbon',
    });
    caller.close();
    const approve = page.getByRole('article').getByRole('button', { name: 'Approve once' });
    await approve.and(page.locator(':not([aria-disabled])')).click();
    await page.getByText('Scout has made its first payment').waitFor();
    await page.getByText('Paid 0.01 USDC to Sandbox Weather: the weather in Lisbon.').waitFor();
    await close();
    await fresh.close();
    expect(complaints).toEqual([]);
  });
});

describe('an agent’s page', () => {
  it('says when it and each of its keys were last seen, and waits anew for a new key', async () => {
    const { page } = seen;
    const newcomer = await deploy(treasury.client, 'newcomer', { allocate: null });
    await goTo(page, '/agents/newcomer');
    await page.getByText('Not connected yet').waitFor();
    await page.getByRole('tab', { name: 'Keys and connection' }).click();
    await page.getByText('never used').waitFor();
    await newcomer.client.get('/v1/agents/newcomer/policy');
    await page.getByText('Seen just now').waitFor();
    await page.getByText('last used just now').waitFor();

    await page.getByRole('button', { name: 'Add a key to connect' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Waiting for newcomer’s first call').waitFor();
    await dialog.getByRole('tab', { name: 'Python' }).click();
    const text = await dialog.getByRole('region', { name: 'First call with Python' }).innerText();
    const own = treasury.client.as(keyIn(text));
    await own.get('/v1/agents/newcomer/policy');
    await dialog.getByText('newcomer is connected').waitFor();
    await dialog.getByRole('button', { name: 'I have it' }).click();
  });
});
