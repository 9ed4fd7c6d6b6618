// Phones in Chromium: a phone is registered by its payment, tested and removed; an approval shows its codes; the freeze
// code is a page of its own.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { goTo, openDashboard, openServed, useBrowser } from '../harness/browser.ts';
import { newPhone, type Phone } from '../harness/phone.ts';
import { trustedPhone } from '../harness/trusted-phone.ts';
import { deploy, type Treasury } from '../harness/treasury.ts';

useBrowser();

let treasury: Treasury;
let phone: Phone;
beforeAll(async () => {
  treasury = await openServed();
  phone = await newPhone(treasury);
});
afterAll(() => treasury.close());

const linkIn = async (page: Page, title: string): Promise<string> => {
  const code = page.getByRole('img', { name: title });
  await code.waitFor();
  const link = page.getByRole('link', { name: 'Open in a wallet on this device' });
  return (await link.first().getAttribute('href')) ?? '';
};

it('a phone is registered by its payment, shows what its thief could do, is tested and removed', async () => {
  const { page, close, complaints } = await openDashboard(treasury, '/settings');
  const phones = page.getByRole('region', { name: 'Phones' });
  await phones.getByText('No phone is registered.').waitFor();
  await phones.getByRole('button', { name: 'Show the code' }).click();
  await phones.getByText('Write what you call it.').waitFor();
  await phones.getByRole('textbox', { name: 'Name' }).fill('My phone');
  await phones.getByRole('textbox', { name: 'Address of its wallet' }).fill(phone.address);
  await phones.getByRole('textbox', { name: 'Approves at once' }).fill('2');
  await phones.getByRole('textbox', { name: 'In 24 hours' }).fill('5');
  await phones.getByRole('button', { name: 'Show the code' }).click();
  const request = await linkIn(page, 'Code that registers this phone');
  expect(request).toContain('memo=at%3Aregister%20');
  await phone.say(request);
  const card = page.getByRole('listitem', { name: 'My phone' });
  await card.waitFor();
  await card.getByText('up to 2.00 USDC at once, and 5.00 USDC in 24 hours').waitFor();
  await card.getByText('never raise a limit, unfreeze, withdraw').waitFor();

  const testing = page.getByRole('region', { name: 'Test a phone' });
  await testing.getByRole('button', { name: 'Show the code' }).click();
  await phone.say(await linkIn(page, 'Code that tests a phone'));
  await page.getByText('My phone: at:test').waitFor();

  await card.getByRole('button', { name: 'Lost phone: My phone' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove it' }).click();
  await phones.getByText('No phone is registered.').waitFor();
  expect(complaints).toEqual([]);
  await close();
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
  const { page, close, complaints } = await openDashboard(treasury, '/approvals');
  await page.getByRole('button', { name: 'Answer from a phone' }).click();
  await page.getByRole('img', { name: 'Code that denies this' }).waitFor();
  expect(await page.getByText('Send within').textContent()).toMatch(/^Send within 14 min \d+ s\./);
  const request = await linkIn(page, 'Code that approves this');
  await trusted.phone.say(request);
  await page.getByText('Nothing is waiting for you').waitFor();
  const approval = (await treasury.client.get(`/v1/approvals/${String(body['approvalId'])}`)).body;
  expect(approval['status']).toBe('granted');
  expect(complaints).toEqual([]);
  await close();
});

it('the freeze code is a page to print, and freezes', async () => {
  const trusted = await trustedPhone(treasury);
  const { page, close } = await openDashboard(treasury, '/settings/freeze-code');
  await page.getByRole('img', { name: 'Code that freezes everything' }).waitFor();
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('button', { name: 'Print this page' }).isVisible()).toBe(false);
  expect(await page.getByRole('navigation').first().isVisible()).toBe(false);
  await page.emulateMedia({ media: 'screen' });
  await goTo(page, '/settings');
  const { freeze } = (await treasury.client.get('/v1/phone-wallets')).body;
  await trusted.phone.say(String(freeze));
  await page.getByText('said stop in transaction').first().waitFor();
  await close();
});

it('a treasury without SOL says that no phone can answer', async () => {
  const { page, close } = await openDashboard(treasury, '/settings');
  const warning = page.getByText('A phone cannot answer now');
  await page.getByRole('region', { name: 'Phones' }).getByText('Register a phone').waitFor();
  expect(await warning.count()).toBe(0);
  await page.route('**/v1/dashboard**', async (route) => {
    const response = await route.fetch();
    const { treasury: known, ...rest } = await response.json();
    await route.fulfill({ response, json: { ...rest, treasury: { ...known, sol: '0.00089' } } });
  });
  await page.reload();
  await goTo(page, '/settings');
  await warning.waitFor();
  await close();
});
