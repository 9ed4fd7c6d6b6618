// A look: a screen, or a part of it that opens, as the tests of looks and of fitting visit it.
import type { Page } from 'playwright-core';
import type { Treasury } from '../harness/treasury.ts';

export interface Look {
  name: string;
  path: () => string;
  /** Opens a dialog, a tab or a form on it. */
  open?: (page: Page) => Promise<void>;
}

export const click = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name }).first().click();
export const tab = (name: string) => (page: Page) => page.getByRole('tab', { name }).click();

/** An entry of an agent's menu that opens a dialog. */
export const menu = (item: string) => async (page: Page) => {
  await page.getByRole('button', { name: /^More for/ }).click();
  await page.getByRole('menuitem', { name: item }).click();
  await page.getByRole('dialog').waitFor();
};

/** Chooses all agents of the list. */
const chooseAll = async (page: Page): Promise<void> => {
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const start = page.getByRole('button', { name: 'Select', pressed: false });
  if ((await start.count()) > 0) await start.click();
  await page.getByRole('button', { name: 'Choose all shown' }).click();
};

/** The question before something is done with all agents. */
const together = async (page: Page, name: string): Promise<void> => {
  await chooseAll(page);
  await page.getByRole('button', { name }).click();
  await page.getByRole('dialog').getByRole('listitem').first().waitFor();
};

/** Looks that both tests visit, in a treasury that is lived in. */
export const manyAgents: readonly Look[] = [
  { name: 'choosing agents', path: () => '/agents', open: chooseAll },
  { name: 'pausing several', path: () => '/agents', open: (page) => together(page, 'Pause…') },
  { name: 'a limit of several', path: () => '/agents', open: (page) => together(page, 'Change a limit…') },
  { name: 'comparing agents', path: () => '/agents/compare/research-scout/code-reviewer' },
];

export interface GroupedAgents {
  groupId: string;
  /** A payment of the research scout that the group refused. */
  refused: string;
}

/** Puts agents of a treasury that is lived in into a group with limits, beside a stopped one and an empty one. */
export const groupedAgents = async ({ client }: Treasury, name: string): Promise<GroupedAgents> => {
  const asked = async (path: string, body: object = {}): Promise<string> =>
    String((await client.post(`/v1/${path}`, body)).body['groupId']);
  const groupId = await asked('groups', {
    name,
    limits: { dailyBudget: '5.00', monthlyBudget: '999999999.999999', paymentsPerHour: 40 },
  });
  const stopped = await asked('groups', { name: 'Continuous integration' });
  await asked('groups', { name: 'Empty' });
  await asked('agents/research-scout/group', { groupId });
  await asked('agents/newsletter/group', { groupId: stopped });
  await asked(`groups/${stopped}/stop`);
  await asked('treasury/limits', { weeklyBudget: '100.00', paymentsPerDay: 500 });
  await asked(`groups/${groupId}/limits`, { maxPerPayment: '0' });
  const refused = await client.post('/v1/agents/research-scout/pay', {
    service: 'sandbox-weather',
    amount: '0.02',
    currency: 'USDC',
  });
  await asked(`groups/${groupId}/limits`, { maxPerPayment: null });
  return { groupId, refused: String(refused.body['details'].paymentId) };
};

const moving = async (page: Page): Promise<void> => {
  await menu('Move to…')(page);
  await page.getByRole('dialog').getByLabel('To the group').first().click();
  await page.getByRole('option', { name: 'Empty' }).click();
  await page.getByText('it starts at 0').waitFor();
};
const archiving = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: /^More for the group/ }).click();
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await page.getByText('out of the group first').waitFor();
};

export const looksOfGroups = (made: () => GroupedAgents): readonly Look[] => [
  { name: 'new group', path: () => '/agents', open: click('New group') },
  { name: 'a group', path: () => `/agents/group/${made().groupId}` },
  { name: 'archiving a group', path: () => `/agents/group/${made().groupId}`, open: archiving },
  { name: 'no such group', path: () => '/agents/group/none' },
  { name: 'moving an agent', path: () => '/agents/research-scout', open: moving },
  { name: 'a refusal by a group', path: () => `/activity/${made().refused}` },
];

const ruleDialog = async (page: Page): Promise<void> => {
  await click('Add a rule')(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Agent').first().click();
  await page.getByRole('option').nth(1).click();
  await dialog.getByRole('textbox', { name: 'Account' }).fill('expenses');
  await dialog.getByText(/it catches|catches nothing/i).waitFor();
};

export const books: readonly Look[] = [
  { name: 'books', path: () => '/books' },
  { name: 'a download', path: () => '/books/download' },
  { name: 'rules', path: () => '/books/rules' },
  { name: 'a rule', path: () => '/books/rules', open: ruleDialog },
];

/** Rules with the longest names that there can be. */
export const addRules = async ({ client }: Treasury): Promise<void> => {
  const account = `Expenses:${'W'.repeat(111)}`;
  for (const body of [
    { agentId: 'research-scout', account: 'Expenses:Research', costCentre: 'R&D' },
    { serviceId: 'web-search', agentId: 'code-reviewer', account, costCentre: 'W'.repeat(60) },
  ])
    await client.post('/v1/books/rules', body);
};
