// Groups of agents in a real browser: created, limited, filled, stopped, resumed and archived; and the limits of all
// agents together.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { goTo, openDashboard, openServed, useBrowser, type Seen } from '../harness/browser.ts';
import { deploy, until, type TestAgent, type Treasury } from '../harness/treasury.ts';

useBrowser();

let treasury: Treasury;
let seen: Seen;
let scout: TestAgent;
beforeAll(async () => {
  treasury = await openServed();
  scout = await deploy(treasury.client, 'scout', { dailyBudget: '5.00', maxPerPayment: '1.00' });
  await deploy(treasury.client, 'planner', { dailyBudget: '5.00', maxPerPayment: '1.00' });
});
afterAll(() => treasury.close());
beforeEach(async () => {
  seen = await openDashboard(treasury);
});
afterEach(async () => {
  await seen.close();
  expect(seen.complaints.filter((one) => !one.includes('409'))).toEqual([]);
});

const groupNow = async (name: string) => {
  const { groups } = (await treasury.client.get('/v1/groups')).body;
  return groups.find((group: { name: string }) => group.name === name);
};
const openGroup = async (name: string, limits: object = {}): Promise<string> => {
  const { groupId } = (await treasury.client.post('/v1/groups', { name, limits })).body;
  await goTo(seen.page, `/agents/group/${String(groupId)}`);
  return String(groupId);
};
const join = (agentId: string, groupId: string | null) =>
  treasury.client.post(`/v1/agents/${agentId}/group`, { groupId });
/** The bar of an empty gauge has no width. */
const attached = (page: Page, label: RegExp) => page.getByLabel(label).waitFor({ state: 'attached' });
const save = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Save limits' }).click();
};
const choose = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('dialog').getByLabel('To the group').first().click();
  await page.getByRole('option', { name }).click();
};

it('a group is created, limited, filled and emptied again', async () => {
  const { page } = seen;
  await goTo(page, '/agents');
  await page.getByRole('button', { name: 'New group' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Research');
  await page.getByRole('dialog').getByLabel('Daily budget').fill('2');
  await page.getByRole('button', { name: 'Create group' }).click();
  await page.getByRole('heading', { name: 'Research' }).waitFor();

  await page.getByLabel('Limit each payment').check();
  await page.getByLabel('Most per payment').fill('0.50');
  await page.getByRole('button', { name: 'More limits' }).click();
  await page.getByLabel('Limit the number of payments in 24 hours').check();
  await page.getByLabel('Payments in a day').fill('20');
  await page.getByLabel('Allow certain services only').check();
  await save(page);
  await page.getByText('Choose at least one service.').waitFor();
  await page.getByLabel('Allow certain services only').uncheck();
  await save(page);
  await page.getByText('Nothing is changed.').waitFor();
  expect((await groupNow('Research')).limits).toMatchObject({
    dailyBudget: '2.00',
    maxPerPayment: '0.50',
    paymentsPerDay: 20,
    weeklyBudget: null,
    allowedServices: null,
  });

  await page.getByLabel('Add an agent').first().click();
  await page.getByRole('option', { name: 'scout' }).click();
  await page.getByRole('dialog').getByText('In Research it starts at 0.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
  await page.getByText('scout is in the group Research now.').waitFor();
  expect((await scout.pay('0.30')).status).toBe(200);
  await attached(page, /^Daily budget of the group Research: 0.30 of 2.00 used/);

  await page.getByRole('button', { name: 'More for the group Research' }).click();
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await page.getByText('It still has 1 agent. Move it out of the group first.').waitFor();
  expect(await page.getByRole('button', { name: 'Archive' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Keep it' }).click();
  await page.getByRole('button', { name: 'Move to… scout' }).click();
  await choose(page, 'No group');
  await page.getByText('What it spent so far stays in Research. No group limits it then.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
  await page.getByText('There are none in it yet.').waitFor();
  expect((await groupNow('Research')).spentToday).toBe('0.30');
  await page.getByRole('button', { name: 'More for the group Research' }).click();
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
  expect(await groupNow('Research')).toBeUndefined();
});

it('stopping a group pauses its agents in one click, says which, and resuming pays on', async () => {
  const groupId = await openGroup('Stopped');
  await join('scout', groupId);
  await join('planner', groupId);
  const { page } = seen;
  await page.getByRole('list', { name: 'Agents of the group' }).getByText('planner').waitFor();
  await page.getByRole('button', { name: 'Stop the group Stopped' }).click();
  await page.getByText('Stopped is stopped: scout and planner pay nothing now.').waitFor();
  expect((await scout.pay('0.01')).body['code']).toBe('suspended');
  await page.getByRole('button', { name: 'Resume the group Stopped' }).click();
  await page.getByText('Stopped is resumed.').waitFor();
  expect((await scout.pay('0.01')).status).toBe(200);
  for (const agentId of ['scout', 'planner']) await join(agentId, null);
});

it('a raise of more than ten times is asked about, and a name that is taken is told at its field', async () => {
  await treasury.client.post('/v1/groups', { name: 'Taken' });
  const groupId = await openGroup('Raised', { dailyBudget: '1.00' });
  const { page } = seen;
  await page.getByLabel('Daily budget', { exact: true }).fill('500');
  await save(page);
  await page.getByRole('dialog').getByText('500 times as much').waitFor();
  await page.getByRole('button', { name: 'Go back' }).click();
  expect((await groupNow('Raised')).limits.dailyBudget).toBe('1.00');
  await save(page);
  await page.getByRole('button', { name: 'Yes, raise it' }).click();
  await until(
    'the limit to be saved',
    async () => (await groupNow('Raised')).limits.dailyBudget === '500.00',
  );

  await page.getByRole('button', { name: 'More for the group Raised' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Taken');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await page.getByText('There is a group Taken already.').waitFor();
  await page.getByRole('dialog').getByLabel('Name').fill('Lifted');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { name: 'Lifted' }).waitFor();
  expect((await groupNow('Lifted')).groupId).toBe(groupId);
});

it('agents stand under their groups, and several are moved at once', async () => {
  await openGroup('Together');
  const { page } = seen;
  await goTo(page, '/agents');
  await page.getByRole('button', { name: 'Select' }).click();
  await page.getByRole('button', { name: 'Choose all shown' }).click();
  await page.getByRole('button', { name: 'Move to…' }).click();
  await choose(page, 'Together');
  await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
  const list = page.getByRole('list', { name: 'Agents of Together' });
  await list.getByText('planner').waitFor();
  expect(await list.getByRole('listitem').count()).toBe(2);
  await page.getByRole('button', { name: 'Show Together' }).click();
  await list.waitFor({ state: 'hidden' });
  await goTo(page, '/agents/scout');
  await page.getByRole('link', { name: 'Together' }).waitFor();
  for (const agentId of ['scout', 'planner']) await join(agentId, null);
});

it('limits over all agents are set beside the ceiling, and shown with each agent', async () => {
  const { page } = seen;
  await goTo(page, '/settings');
  await page.getByRole('button', { name: 'More limits' }).click();
  await page.getByLabel('Limit the spending in any 7 days').check();
  await page.getByLabel('Weekly budget').fill('40');
  await save(page);
  await page.getByText('The limits of all agents are saved.').waitFor();
  const { limits } = (await treasury.client.get('/v1/treasury/limits')).body;
  expect(limits).toMatchObject({ weeklyBudget: '40.00', dailyBudget: null });
  await goTo(page, '/agents/planner');
  await attached(page, /^Weekly budget of all agents: .* of 40.00 used/);
});
