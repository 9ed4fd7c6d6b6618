// The form of a policy in a real browser: each field of the table is set by its control, read, and set back.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { goTo, openDashboard, openServed, useBrowser } from '../harness/browser.ts';
import { deploy, until, type Treasury } from '../harness/treasury.ts';

useBrowser();

let treasury: Treasury;
beforeAll(async () => {
  treasury = await openServed();
  await deploy(treasury.client, 'scout', { dailyBudget: '5.00', maxPerPayment: '1.00' });
});
afterAll(() => treasury.close());

const policyNow = async () => (await treasury.client.get('/v1/agents/scout/policy')).body['policy'];

it('sets and clears every field, and explains the policy', async () => {
  const { page, complaints, close } = await openDashboard(treasury);
  const save = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Save policy' }).click();
    await page.getByText('Nothing is changed.').waitFor();
  };
  await goTo(page, '/agents/scout');
  await page.getByLabel('Daily budget').fill('2.50');
  await page.getByLabel('Most per payment').fill('0.75');
  await page.getByLabel('Wait between payments').fill('2');
  await page.getByLabel('Unit of the wait').selectOption('hours');
  await page.getByLabel('Time you have to answer').fill('30');
  await page.getByLabel('Services it may pay').first().fill('maps');
  await page.keyboard.press('Enter');
  await page.getByLabel('Ask me before it pays somebody for the first time').check();
  await page.getByLabel('Ask me before it pays more than a certain amount at a time').check();
  await page.getByLabel('Ask me above').fill('0.10');
  await page.getByText('it waits 2 hours after each payment').waitFor();
  await save();
  expect(await policyNow()).toMatchObject({
    dailyBudget: '2.50',
    maxPerPayment: '0.75',
    cooldownSeconds: 7_200,
    allowedServices: ['maps'],
    approveAbove: '0.10',
    newPayees: 'approve',
    approvalMinutes: 30,
  });

  await page.getByLabel('Ask me above').fill('much');
  await page.getByRole('button', { name: 'Save policy' }).click();
  expect(await page.getByLabel('Ask me above').getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('Ask me before it pays more than a certain amount at a time').uncheck();
  await page.getByLabel('Ask me before it pays somebody for the first time').uncheck();
  await page.getByLabel('Wait between payments').fill('0');
  await page.getByLabel('Services it may pay').first().focus();
  await page.keyboard.press('Backspace');
  await save();
  expect(await policyNow()).toMatchObject({
    cooldownSeconds: 0,
    allowedServices: [],
    approveAbove: null,
    newPayees: 'allow',
  });

  // An untouched field follows a change from elsewhere.
  await page.getByLabel('Daily budget').fill('1.00');
  await treasury.client.post('/v1/agents/scout/policy', { approveAbove: '0.20' });
  await until('the change to be shown', async () => page.getByLabel('Ask me above').isVisible());
  expect(await page.getByLabel('Ask me above').inputValue()).toBe('0.20');
  expect(await page.getByLabel('Daily budget').inputValue()).toBe('1.00');
  await close();
  expect(complaints).toEqual([]);
});

it('asks what 1,5 means where the browser’s language writes so, and never guesses', async () => {
  const { page, complaints, close } = await openDashboard(treasury, '/agents/scout', { locale: 'de-DE' });
  const budget = page.getByLabel('Daily budget');
  await budget.fill('1,5');
  const meant = page.getByRole('button', { name: 'Did you mean 1.5 USDC?' });
  await meant.waitFor();
  await page.getByRole('button', { name: 'Save policy' }).click();
  expect(await budget.getAttribute('aria-invalid')).toBe('true');
  expect(await policyNow()).toMatchObject({ dailyBudget: '2.50' });
  await meant.click();
  expect(await budget.inputValue()).toBe('1.5');
  await meant.waitFor({ state: 'detached' });
  await page.getByText('It can spend up to 1.50 USDC').waitFor();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await close();
  expect(complaints).toEqual([]);
});

it('limits single services: adds, refuses what is no limit, saves, and takes away', async () => {
  const { page, complaints, close } = await openDashboard(treasury);
  await goTo(page, '/agents/scout');
  await page.getByRole('button', { name: 'More limits' }).click();
  const asks = page.getByLabel('Limit the spending at single services');
  await asks.check();
  const save = page.getByRole('button', { name: 'Save policy' });
  const rows = page.getByRole('group', { name: 'Limits at single services' });
  await save.click();
  await rows.getByText('Name each service.').waitFor();
  await rows.getByRole('combobox', { name: 'Service' }).fill('maps');
  await page.keyboard.press('Tab');
  await save.click();
  await rows.getByText('Write an amount for each service.').waitFor();
  await rows.getByLabel('In 24 hours').fill('2');
  await rows.getByLabel('Per payment').fill('0.5');
  await rows.getByRole('button', { name: 'Add a service' }).click();
  await rows.getByRole('combobox', { name: 'Service' }).nth(1).fill('sandbox-weather');
  await rows.getByLabel('In a month').nth(1).fill('10');
  await page.keyboard.press('Tab');
  await page
    .getByText('At maps it can spend at most 2.00 USDC in any 24 hours and 0.50 USDC in one payment.')
    .waitFor();
  await save.click();
  await page.getByText('Nothing is changed.').waitFor();
  expect((await policyNow()).serviceLimits).toEqual({
    maps: { dailyBudget: '2.00', maxPerPayment: '0.50' },
    'sandbox-weather': { monthlyBudget: '10.00' },
  });
  await page.getByText('Monthly budget at sandbox-weather').waitFor();
  await rows.getByRole('button', { name: 'Remove this service' }).first().click();
  await save.click();
  await page.getByText('Nothing is changed.').waitFor();
  expect((await policyNow()).serviceLimits).toEqual({ 'sandbox-weather': { monthlyBudget: '10.00' } });
  await asks.uncheck();
  await save.click();
  await page.getByText('Nothing is changed.').waitFor();
  expect((await policyNow()).serviceLimits).toBeNull();
  expect(complaints).toEqual([]);
  await close();
});
