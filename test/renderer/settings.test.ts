// Notices and phones in Chromium. A channel is added, tried, narrowed and removed, and what failed is tried again. A phone
// is registered by its payment, tested and removed; an approval shows its codes; the freeze code is a page of its own.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { goTo, openDashboard, openServed, useBrowser, type Seen } from '../harness/browser.ts';
import { newPhone, type Phone } from '../harness/chain/phone.ts';
import { trustedPhone } from '../harness/chain/trusted-phone.ts';
import { deploy, until, type Treasury } from '../harness/treasury.ts';
import { openEndpoint, type Endpoint } from '../notices/endpoint.ts';

useBrowser();

let treasury: Treasury;
let endpoint: Endpoint;
let seen: Seen;
beforeAll(async () => {
  endpoint = await openEndpoint();
  treasury = await openServed();
  seen = await openDashboard(treasury);
});
afterAll(async () => {
  await seen.close();
  await treasury.close();
  await endpoint.close();
});
beforeEach(async () => {
  endpoint.received = [];
  endpoint.status = 200;
  await goTo(seen.page, '/settings/notices');
});
afterEach(() => {
  // The browser itself reports a refusal.
  expect(seen.complaints.splice(0).filter((one) => !one.includes('400'))).toEqual([]);
});

const channels = '/v1/notices/channels';
const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const card = (page: Page, name: string) => panel(page, 'Channels').getByRole('listitem', { name });
const listed = async () =>
  (await treasury.client.get(channels)).body['channels'] as { channelId: string; kinds: string[] }[];

const isGone = (kind: string) => async () => (await listed())[0]?.kinds.includes(kind) === false;

describe('the notices', () => {
  it('add a webhook, whose secret is shown once and verifies what comes, and tell its kinds', async () => {
    const { page } = seen;
    const form = panel(page, 'Channels');
    await form.getByText('Webhook', { exact: true }).click();
    await form.getByRole('textbox', { name: 'URL' }).fill(endpoint.url);
    const secret = await form.getByRole('textbox', { name: 'Signing secret' }).inputValue();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await form.getByRole('button', { name: 'Add webhook' }).click();
    await form.getByText('It must be https, unless you allow private addresses.').waitFor();
    await form.getByLabel('Allow local addresses').check();
    await form.getByRole('button', { name: 'Add webhook' }).click();
    const added = card(page, 'Webhook');
    await added.waitFor();
    expect(await form.getByRole('textbox', { name: 'Signing secret' }).inputValue()).not.toBe(secret);
    expect(await page.content()).not.toContain(secret);

    await added.getByRole('button', { name: 'Send a test notice' }).click();
    await added.getByText('Delivered. HTTP 200').waitFor();
    const [received] = endpoint.received;
    const headers = received?.headers as Record<string, string>;
    expect(new Webhook(secret).verify(received?.body ?? '', headers)).toMatchObject({
      type: 'treasury.test',
    });
    endpoint.status = 503;
    await added.getByRole('button', { name: 'Send a test notice' }).click();
    await added.getByText('Not delivered. HTTP 503').waitFor();

    const boxes = panel(page, 'Notices');
    await boxes.getByRole('checkbox', { name: 'Deposit: Webhook' }).uncheck();
    await boxes.getByRole('checkbox', { name: 'Low balance: Webhook' }).uncheck();
    await until('the first change', isGone('deposit'));
    await until('the second change', isGone('low_balance'));
    await boxes.getByRole('checkbox', { name: 'Deposit: Webhook', checked: false }).waitFor();
  });

  it('show what failed and why, in the list, on the card and behind the bell, and try it again', async () => {
    const { page } = seen;
    endpoint.status = 410;
    const scout = await deploy(treasury.client, 'scout', { allocate: null });
    await scout.pay('3.00');
    const history = panel(page, 'Sent notices');
    const line = history.getByRole('listitem').filter({ hasText: 'A payment by scout was refused' });
    await line.getByText('Webhook: not delivered, HTTP 410').waitFor();
    await history.getByRole('switch', { name: 'Failed only' }).click();
    await line.waitFor();
    endpoint.status = 200;
    await line.getByRole('button', { name: /^Try again/ }).click();
    await history.getByText('Nothing failed in the last 30 days.').waitFor();
    await history.getByRole('switch', { name: 'Failed only' }).click();
    await line.getByText('Webhook: delivered').waitFor();

    endpoint.status = 404;
    await (await deploy(treasury.client, 'planner', { allocate: null })).pay('3.00');
    const trouble = card(page, 'Webhook').getByText(/failed \(HTTP 404\)\./);
    await trouble.waitFor();
    const bell = page.getByRole('button', { name: 'Notices, some of them new' });
    await bell.click();
    await page.getByRole('link', { name: /^A payment by planner was refused/ }).waitFor();
    await page.keyboard.press('Escape');
    await bell.waitFor({ state: 'detached' });
    endpoint.status = 200;
    await card(page, 'Webhook').getByRole('button', { name: 'Retry all: Webhook' }).click();
    await trouble.waitFor({ state: 'detached' });
  });

  it('set when a wallet is low, and remove a channel after a question', async () => {
    const { page } = seen;
    const low = panel(page, 'Low balance');
    await low.getByRole('textbox', { name: 'Low balance' }).fill('2.5');
    await low.getByRole('button', { name: 'Save' }).click();
    await page.getByText('You are notified when an agent holds less than 2.50 USDC.').waitFor();
    await card(page, 'Webhook').getByRole('button', { name: 'Remove Webhook' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await panel(page, 'Channels').getByText('No notices are sent yet.').waitFor();
    expect(await listed()).toEqual([]);
  });
});

const linkIn = async (page: Page, title: string): Promise<string> => {
  const code = page.getByRole('img', { name: title });
  await code.waitFor();
  const link = page.getByRole('link', { name: 'Open in a wallet on this device' });
  return (await link.first().getAttribute('href')) ?? '';
};

describe('the phones', () => {
  it('a phone is registered by its payment, shows what its thief could do, is tested and removed', async () => {
    const phone: Phone = await newPhone(treasury);
    const { page } = seen;
    await goTo(page, '/settings/phones');
    const phones = panel(page, 'Phones');
    await phones.getByText('No phone is registered.').waitFor();
    await phones.getByRole('button', { name: 'Show the code' }).click();
    await phones.getByText('Give it a name.').waitFor();
    await phones.getByRole('textbox', { name: 'Name' }).fill('My phone');
    await phones.getByRole('textbox', { name: 'Address of its wallet' }).fill(phone.address);
    await phones.getByRole('textbox', { name: 'Maximum per approval' }).fill('2');
    await phones.getByRole('textbox', { name: 'In 24 hours' }).fill('5');
    await phones.getByRole('button', { name: 'Show the code' }).click();
    const request = await linkIn(page, 'Code that registers this phone');
    expect(request).toContain('memo=at%3Aregister%20');
    await phone.say(request);
    const registered = page.getByRole('listitem', { name: 'My phone' });
    await registered.waitFor();
    await registered.getByText('up to 2.00 USDC at once, and 5.00 USDC in 24 hours').waitFor();
    await registered.getByText('never raise a limit, unfreeze, withdraw').waitFor();

    const testing = page.getByRole('region', { name: 'Test a phone' });
    await testing.getByRole('button', { name: 'Show the code' }).click();
    await phone.say(await linkIn(page, 'Code that tests a phone'));
    await page.getByText('My phone: at:test').waitFor();

    await registered.getByRole('button', { name: 'Remove phone: My phone' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove it' }).click();
    await phones.getByText('No phone is registered.').waitFor();
  });

  it('an approval is answered by the code that it shows, which counts down to 30 seconds before the deadline', async () => {
    const trusted = await trustedPhone(treasury);
    const agent = await deploy(treasury.client, 'asker', {
      dailyBudget: '10',
      maxPerPayment: '5',
      policy: { approveAbove: '0.5' },
    });
    const { body } = await agent.client.post('/v1/agents/asker/pay', {
      service: 'sandbox-weather',
      amount: '1',
      currency: 'USDC',
    });
    const { page } = seen;
    await goTo(page, '/approvals');
    await page.getByRole('button', { name: 'Answer from a phone' }).click();
    await page.getByRole('img', { name: 'Code that declines this' }).waitFor();
    expect(await page.getByText('Send within').textContent()).toMatch(/^Send within 14 min \d+ s\./);
    const request = await linkIn(page, 'Code that approves this');
    await trusted.phone.say(request);
    await page.getByText('Nothing is waiting for you').waitFor();
    const approval = (await treasury.client.get(`/v1/approvals/${String(body['approvalId'])}`)).body;
    expect(approval['status']).toBe('granted');
  });

  it('the freeze code is a page to print, and freezes', async () => {
    const trusted = await trustedPhone(treasury);
    const { page } = seen;
    await goTo(page, '/settings/freeze-code');
    await page.getByRole('img', { name: 'Code that freezes everything' }).waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button', { name: 'Print this page' }).isVisible()).toBe(false);
    expect(await page.getByRole('navigation').first().isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });
    await goTo(page, '/settings/phones');
    const { freeze } = (await treasury.client.get('/v1/phone-wallets')).body;
    await trusted.phone.say(String(freeze));
    await page.getByText('said stop in transaction').first().waitFor();
  });

  it('a treasury without SOL says that no phone can answer', async () => {
    const { page } = seen;
    const warning = page.getByText('A phone cannot answer now');
    await goTo(page, '/settings/phones');
    await panel(page, 'Phones').getByText('Register a phone').waitFor();
    expect(await warning.count()).toBe(0);
    await page.route('**/v1/dashboard**', async (route) => {
      const response = await route.fetch();
      const { treasury: known, ...rest } = await response.json();
      await route.fulfill({ response, json: { ...rest, treasury: { ...known, sol: '0.00089' } } });
    });
    await page.reload();
    await goTo(page, '/settings/phones');
    await warning.waitFor();
  });
});
