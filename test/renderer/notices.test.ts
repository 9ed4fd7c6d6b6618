// Notices in the settings, in Chromium: a channel is added, tried, narrowed and removed; what failed is shown and tried
// again. The tour holds that it is accessible and fits.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { openDashboard, openServed, useBrowser } from '../harness/browser.ts';
import { deploy, until, type Treasury } from '../harness/treasury.ts';
import { openEndpoint, type Endpoint } from '../notices/endpoint.ts';

useBrowser();

const channels = '/v1/notices/channels';
let treasury: Treasury;
let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await openEndpoint();
  treasury = await openServed();
});
afterAll(async () => {
  await treasury.close();
  await endpoint.close();
});
beforeEach(() => {
  endpoint.received = [];
  endpoint.status = 200;
});

const panel = (page: Page) => page.getByRole('region', { name: 'Notices', exact: true });
const card = (page: Page, name: string) => panel(page).getByRole('listitem', { name });
const listed = async () =>
  (await treasury.client.get(channels)).body['channels'] as { channelId: string; kinds: string[] }[];

describe('the settings', () => {
  it('add a webhook, whose secret is shown once and verifies what comes, and tell its kinds', async () => {
    const { page, close, complaints } = await openDashboard(treasury, '/settings');
    const form = panel(page).getByRole('region', { name: 'Add a channel' });
    await form.getByRole('textbox', { name: 'URL' }).fill(endpoint.url);
    const secret = await form.getByRole('textbox', { name: 'Signing secret' }).inputValue();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await form.getByRole('button', { name: 'Add Webhook' }).click();
    await form.getByText('It must be https, unless you allow private addresses.').waitFor();
    await form.getByLabel('It may be on this machine').check();
    await form.getByRole('button', { name: 'Add Webhook' }).click();
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

    await added.getByLabel('Deposit').uncheck();
    await until('the change', async () => (await listed())[0]?.kinds.includes('deposit') === false);
    await added.getByRole('checkbox', { name: 'Deposit', checked: false }).waitFor();
    await close();
    expect(complaints.filter((one) => !one.includes('400'))).toEqual([]);
  });

  it('show what failed and why, and try it again', async () => {
    const { page, close, complaints } = await openDashboard(treasury, '/settings');
    endpoint.status = 410;
    const scout = await deploy(treasury.client, 'scout', { allocate: null });
    await scout.pay('3.00');
    const history = panel(page).getByRole('region', { name: 'Sent notices' });
    const line = history.getByRole('listitem').filter({ hasText: 'A payment by scout was refused' });
    await line.getByText('Webhook: not delivered, HTTP 410').waitFor();
    await history.getByRole('switch', { name: 'Only what failed' }).click();
    await line.waitFor();
    endpoint.status = 200;
    await line.getByRole('button', { name: /^Try again/ }).click();
    await history.getByText('Nothing failed in the last 30 days.').waitFor();
    await history.getByRole('switch', { name: 'Only what failed' }).click();
    await line.getByText('Webhook: delivered').waitFor();
    await close();
    expect(complaints).toEqual([]);
  });

  it('set when a wallet is low, and remove a channel after a question', async () => {
    const { page, close, complaints } = await openDashboard(treasury, '/settings');
    const low = panel(page).getByRole('form', { name: 'Low balance' });
    await low.getByRole('textbox', { name: 'Low balance' }).fill('2.50');
    await low.getByRole('button', { name: 'Save' }).click();
    await page.getByText('A wallet is low below 2.50 USDC.').waitFor();
    await card(page, 'Webhook').getByRole('button', { name: 'Remove Webhook' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await panel(page).getByText('You are told nothing outside of this page.').waitFor();
    expect(await listed()).toEqual([]);
    await close();
    expect(complaints).toEqual([]);
  });
});
