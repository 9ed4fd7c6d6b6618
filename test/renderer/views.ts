// The one list of views: each screen of the dashboard, and each part of a screen that opens.
import type { Page } from 'playwright-core';
import { pathOfSettings, settingsPageNames } from '../../renderer/parts.ts';
import { editLimit, limitField } from '../harness/limit-rows.ts';
import type { Stage } from './stage.ts';

export interface View {
  name: string;
  path: string | ((stage: Stage) => string);
  /** Opens a dialog, a tab or a form on it, or waits for the part that comes last. */
  open?: (page: Page) => Promise<unknown>;
}

const click = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();
const tab = (name: string) => (page: Page) => page.getByRole('tab', { name }).click();
const sees = (text: string | RegExp) => (page: Page) => page.getByText(text).first().waitFor();

const more = (item: string) => async (page: Page) => {
  await page.getByRole('button', { name: /^More for/ }).click();
  await page.getByRole('menuitem', { name: item }).click();
};

/** An entry of an agent's menu that opens a dialog. */
const menu = (item: string) => async (page: Page) => {
  await more(item)(page);
  await page.getByRole('dialog').waitFor();
};

/** Chooses all agents of the list. */
const chooseAll = async (page: Page): Promise<void> => {
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  if ((await page.getByRole('region', { name: 'Selected agents' }).count()) === 0) await more('Select')(page);
  await page.getByRole('button', { name: 'Select all' }).click();
};

/** The question before something is done with all agents. */
const together = (name: string) => async (page: Page) => {
  await chooseAll(page);
  await page.getByRole('button', { name }).click();
  await page.getByRole('dialog').getByRole('listitem').first().waitFor();
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
const ruleDialog = async (page: Page): Promise<void> => {
  await click('Add a rule')(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Agent').first().click();
  await page.getByRole('option', { name: 'Travel Planner' }).click();
  await dialog.getByRole('textbox', { name: 'Account' }).fill('expenses');
  await dialog.getByText(/it catches|catches nothing/i).waitFor();
};
const allow = async (page: Page): Promise<void> => {
  await click('Allow for an agent: Web Search')(page);
  await page.getByRole('dialog').getByLabel('Agent').first().click();
  // A field may be shorter than the longest name in it.
  await page.getByRole('option', { name: 'Travel Planner' }).click();
  await page.getByText('can pay every service').waitFor();
};
const palette = async (page: Page): Promise<void> => {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find or run a command' }).fill('W');
  await page.getByText(/\d found/).waitFor();
};
/** The buttons of a request are disabled for a moment after it appears, and look so. */
const armed = async (page: Page): Promise<void> => {
  await page.getByRole('article').first().waitFor();
  await page.locator('article button[aria-disabled=true]').first().waitFor({ state: 'detached' });
};
const deny = async (page: Page): Promise<void> => {
  await armed(page);
  if ((await page.getByRole('button', { name: 'Undo' }).count()) > 0) return;
  // A login has no denial to undo.
  const card = page.getByRole('article').filter({ hasNotText: 'asks to log in' }).first();
  await card.getByRole('button', { name: 'Decline' }).click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
};
const onPhone = async (page: Page): Promise<void> => {
  await armed(page);
  await page.getByRole('button', { name: 'Answer from a phone' }).first().click();
  await page.getByRole('img', { name: 'Code that declines this' }).waitFor();
};
const registerPhone = async (page: Page): Promise<void> => {
  const address = page.getByRole('textbox', { name: 'Address of its wallet' });
  const form = page.locator('form').filter({ has: address });
  await form.getByRole('textbox', { name: 'Name' }).fill('My phone');
  await address.fill('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin');
  await form.getByRole('textbox', { name: 'Maximum per approval' }).fill('2');
  await form.getByRole('textbox', { name: 'In 24 hours' }).fill('5');
  await form.getByRole('button', { name: 'Show the code' }).click();
  await page.getByRole('img', { name: 'Code that registers this phone' }).waitFor();
};
const bell = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: /^Notices/ }).click();
  await page.getByRole('dialog').getByRole('link').nth(1).waitFor();
};
const channel = (kind: string) => async (page: Page) => {
  const panel = page.getByRole('region', { name: 'Channels', exact: true });
  await panel.getByText('could not be delivered').first().waitFor();
  await panel.getByText(kind, { exact: true }).last().click();
};
const raise = async (page: Page): Promise<void> => {
  await (await limitField(page, 'Daily budget')).fill('900');
  await click('Save policy')(page);
  await page.getByRole('dialog').getByText('today’s limit').waitFor();
};
const leave = async (page: Page): Promise<void> => {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const budget = page.getByRole('textbox', { name: 'Daily budget' });
  if ((await budget.count()) === 0) await editLimit(page, 'Daily budget');
  await budget.fill('900');
  await page.getByRole('link', { name: 'Overview' }).locator('visible=true').first().click();
  await page.getByText('Leave without saving?').waitFor();
};

const editing = async (page: Page): Promise<void> => {
  await editLimit(page, 'Daily budget');
  await editLimit(page, 'Time to approve');
};

const stolen = async (page: Page): Promise<void> => {
  await click('See how this adds up')(page);
  await page.getByRole('row', { name: /At most/ }).waitFor();
};

const agents: readonly View[] = [
  { name: 'agents', path: '/agents' },
  { name: 'new agent', path: '/agents', open: click('New agent') },
  { name: 'choosing agents', path: '/agents', open: chooseAll },
  { name: 'pausing several', path: '/agents', open: together('Pause…') },
  { name: 'new group', path: '/agents', open: menu('New group') },
  { name: 'a group', path: ({ groupId }) => `/agents/group/${groupId}` },
  { name: 'archiving a group', path: ({ groupId }) => `/agents/group/${groupId}`, open: archiving },
  { name: 'no such group', path: '/agents/group/none' },
  { name: 'moving an agent', path: '/agents/research-scout', open: moving },
  { name: 'a refusal by a group', path: ({ refusedByGroup }) => `/activity/${refusedByGroup}` },
  { name: 'color and tags', path: '/agents/research-scout', open: menu('Color and tags') },
  // A field may be shorter than the longest name in it.
  { name: 'duplicating', path: '/agents/travel-planner', open: menu('Duplicate') },
  { name: 'give', path: '/agents/research-scout', open: click('Add funds') },
  { name: 'policy', path: '/agents/research-scout' },
  { name: 'editing a policy', path: '/agents/research-scout', open: editing },
  { name: 'keys', path: '/agents/code-reviewer', open: tab('Keys and connection') },
  { name: 'history', path: '/agents/research-scout/history' },
  { name: 'watch', path: '/agents/research-scout/watch' },
  { name: 'paused agent', path: '/agents/newsletter' },
  { name: 'no such agent', path: '/agents/nobody' },
];

const places: readonly View[] = [
  { name: 'overview', path: '/' },
  { name: 'palette', path: '/', open: palette },
  { name: 'keys of the keyboard', path: '/', open: (page) => page.keyboard.press('?') },
  { name: 'approvals', path: '/approvals', open: armed },
  { name: 'an answer from a phone', path: '/approvals', open: onPhone },
  { name: 'activity', path: '/activity' },
  { name: 'filters', path: '/activity', open: click(/^Filters/) },
  { name: 'payment', path: ({ lived }) => `/activity/${lived.paid}` },
  { name: 'refusal', path: ({ lived }) => `/activity/${lived.refused}` },
  { name: 'no such payment', path: '/activity/pay_none' },
  { name: 'books', path: '/books' },
  { name: 'a download', path: '/books/download' },
  { name: 'rules', path: '/books/rules' },
  { name: 'a rule', path: '/books/rules', open: ruleDialog },
  { name: 'services', path: '/catalog' },
  { name: 'add a service', path: '/catalog', open: click('Add a service') },
  { name: 'allow a service', path: '/catalog', open: allow },
  { name: 'a service', path: '/catalog/service/code-review' },
  { name: 'blocking a service', path: '/catalog/service/code-review', open: click('Block for all agents') },
  { name: 'sources', path: '/catalog/sources' },
  { name: 'language models', path: '/catalog/models' },
  { name: 'image models', path: '/catalog/images' },
  { name: 'prices of an image model', path: '/catalog/images', open: click('Edit Nano Banana Pro') },
  { name: 'a provider', path: '/catalog/images', open: click('Edit OpenAI') },
  { name: 'pictures', path: '/gallery' },
  {
    name: 'a picture',
    path: ({ painted }) => `/gallery/research-scout/${painted.made}`,
    open: (page) => page.getByRole('img', { name: /lighthouse/ }).waitFor(),
  },
  { name: 'a failed picture', path: ({ painted }) => `/gallery/research-scout/${painted.failed}` },
  { name: 'a picture under way', path: ({ painted }) => `/gallery/travel-planner/${painted.generating}` },
  { name: 'treasury', path: '/treasury' },
  { name: 'get money', path: '/treasury/get', open: sees('Show deposits under') },
  { name: 'the sum for a thief', path: '/', open: stolen },
  ...settingsPageNames
    .filter((page) => page !== 'notices')
    .map((page): View => ({ name: `settings, ${page}`, path: pathOfSettings(page) })),
  { name: 'notices', path: '/settings/notices', open: sees('could not be delivered') },
  { name: 'a channel by e-mail', path: '/settings/notices', open: channel('E-mail') },
  { name: 'a channel by ntfy', path: '/settings/notices', open: channel('ntfy') },
  { name: 'the newest notices', path: '/', open: bell },
  { name: 'registering a phone', path: '/settings/phones', open: registerPhone },
  { name: 'removing a way to sign in', path: '/settings/people', open: click('Remove My mail') },
  {
    name: 'the freeze code',
    path: '/settings/freeze-code',
    open: (page) => page.getByRole('img', { name: 'Code that freezes everything' }).waitFor(),
  },
  { name: 'welcome', path: '/welcome' },
  { name: 'nowhere', path: '/nowhere' },
];

/** They leave a policy that is not saved, and then stop everything. */
const last: readonly View[] = [
  { name: 'a denial', path: '/approvals', open: deny },
  { name: 'a large raise', path: '/agents/travel-planner', open: raise },
  { name: 'leaving', path: '/agents/travel-planner', open: leave },
];

export const views: readonly View[] = [...places, ...agents, ...last];

/** The screens of a treasury in which nothing has happened yet. */
export const emptyPlaces = [
  '/',
  '/agents',
  '/approvals',
  '/activity',
  '/books',
  '/books/download',
  '/books/rules',
  '/catalog',
  '/gallery',
  '/treasury',
] as const;
