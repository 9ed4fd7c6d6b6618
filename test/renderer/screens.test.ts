// Every screen of a treasury that is lived in, light and dark, at both widths: no accessibility violation, no
// complaint of the page, no sideways scrolling, and no request to another server.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goTo, openDashboard, openPage, openServed, useBrowser, type Seen } from '../harness/browser.ts';
import { live, type Lived } from '../harness/life.ts';
import type { TestAgent, Treasury } from '../harness/treasury.ts';
import { flawsOf, widths } from './axe.ts';
import {
  addRules,
  books,
  click,
  groupedAgents,
  looksOfGroups,
  manyAgents,
  menu,
  tab,
  type GroupedAgents,
  type Look,
} from './looks.ts';
import { paint, type Painted } from './painted.ts';

useBrowser();

let treasury: Treasury;
let empty: Treasury;
let lived: Lived;
let painted: Painted;
let grouped: GroupedAgents;
beforeAll(async () => {
  treasury = await openServed();
  lived = await live(treasury);
  painted = await paint(treasury, agent('research-scout'), agent('travel-planner'));
  await treasury.client.post('/v1/models/flux-2-pro', { pricing: { '1k': '0.05' } });
  grouped = await groupedAgents(treasury, 'Research');
  await addRules(treasury);
  empty = await openServed();
});
afterAll(async () => {
  await painted.close();
  await treasury.close();
  await empty.close();
});

const agent = (agentId: string): TestAgent => {
  const one = lived.agents[agentId];
  if (one === undefined) throw new Error(`there is no ${agentId}`);
  return one;
};

const allow = async (page: Page): Promise<void> => {
  await click('Allow for an agent: Web Search')(page);
  await page.getByRole('dialog').getByLabel('Agent').first().click();
  await page.getByRole('option').first().click();
  await page.getByText('can pay every service').waitFor();
};
/** The buttons of a request are disabled for a moment after it appears, and look so. */
const armed = async (page: Page): Promise<void> => {
  await page.getByRole('article').first().waitFor();
  await page.locator('article button[aria-disabled=true]').first().waitFor({ state: 'detached' });
};
const deny = async (page: Page): Promise<void> => {
  await armed(page);
  // A login has no denial to undo.
  const card = page.getByRole('article').filter({ hasNotText: 'asks to log in' }).first();
  await card.getByRole('button', { name: 'Deny' }).click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
};
const raise = async (page: Page): Promise<void> => {
  await page.getByRole('textbox', { name: 'Daily budget' }).fill('900');
  await click('Save policy')(page);
  await page.getByRole('dialog').getByText('times as much').waitFor();
};
const leave = async (page: Page): Promise<void> => {
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Overview' }).locator('visible=true').first().click();
  await page.getByText('Leave without saving?').waitFor();
};
const palette = async (page: Page): Promise<void> => {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find and do' }).fill('scout');
  await page.getByText(/\d found/).waitFor();
};
const image = (page: Page) => page.getByRole('img', { name: /lighthouse/ }).waitFor();

const looks: readonly Look[] = [
  { name: 'overview', path: () => '/' },
  { name: 'palette', path: () => '/', open: (page) => palette(page) },
  { name: 'keys of the keyboard', path: () => '/', open: (page) => page.keyboard.press('?') },
  { name: 'agents', path: () => '/agents' },
  { name: 'new agent', path: () => '/agents', open: click('New agent') },
  ...manyAgents,
  ...looksOfGroups(() => grouped),
  { name: 'colour and tags', path: () => '/agents/research-scout', open: menu('Colour and tags') },
  { name: 'duplicating', path: () => '/agents/research-scout', open: menu('Duplicate') },
  { name: 'policy', path: () => '/agents/research-scout' },
  { name: 'keys', path: () => '/agents/research-scout', open: tab('Keys and connection') },
  { name: 'history', path: () => '/agents/research-scout', open: tab('History') },
  { name: 'paused agent', path: () => '/agents/newsletter' },
  { name: 'no such agent', path: () => '/agents/nobody' },
  { name: 'approvals', path: () => '/approvals', open: (page) => armed(page) },
  { name: 'activity', path: () => '/activity' },
  ...books,
  { name: 'payment', path: () => `/activity/${lived.paid}` },
  { name: 'refusal', path: () => `/activity/${lived.refused}` },
  { name: 'no such payment', path: () => '/activity/pay_none' },
  { name: 'services', path: () => '/catalog' },
  { name: 'add a service', path: () => '/catalog', open: click('Add a service') },
  { name: 'allow a service', path: () => '/catalog', open: allow },
  { name: 'a service', path: () => '/catalog/service/code-review' },
  {
    name: 'blocking a service',
    path: () => '/catalog/service/code-review',
    open: click('Block for all agents'),
  },
  { name: 'sources', path: () => '/catalog/sources' },
  { name: 'models', path: () => '/catalog/models' },
  { name: 'a provider', path: () => '/catalog/models', open: click('Change OpenAI') },
  { name: 'pictures', path: () => '/gallery' },
  { name: 'a picture', path: () => `/gallery/research-scout/${painted.made}`, open: image },
  { name: 'a failed picture', path: () => `/gallery/research-scout/${painted.failed}` },
  { name: 'a picture under way', path: () => `/gallery/travel-planner/${painted.generating}` },
  { name: 'treasury', path: () => '/treasury' },
  { name: 'settings', path: () => '/settings' },
  { name: 'welcome', path: () => '/welcome' },
  { name: 'nowhere', path: () => '/nowhere' },
  { name: 'filters', path: () => '/activity', open: click(/^Filters/) },
  { name: 'a denial', path: () => '/approvals', open: (page) => deny(page) },
  // The last two leave a policy that is not saved.
  { name: 'a large raise', path: () => '/agents/travel-planner', open: (page) => raise(page) },
  { name: 'leaving', path: () => '/agents/travel-planner', open: (page) => leave(page) },
];

describe.each(widths)('at %i px, light and dark', (width) => {
  const options = {
    viewport: { width, height: 860 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  } as const;

  let seen: Seen;
  beforeAll(async () => {
    seen = await openDashboard(treasury, '/', options);
  });
  afterAll(() => seen.close());

  it.each(looks)('$name: accessible, fits, logs no complaint', async ({ name, path, open }) => {
    const { page, complaints } = seen;
    await goTo(page, path());
    await open?.(page);
    const wrong = await flawsOf(page, name);
    await page.keyboard.press('Escape');
    expect(wrong).toEqual([]);
    // The browser itself reports the 404 of an agent and a payment that do not exist.
    expect(complaints.splice(0).filter((one) => !one.includes('404'))).toEqual([]);
  });

  it('every screen of an empty treasury: accessible, fits, logs no complaint', async () => {
    const inside = await openDashboard(empty, '/', options);
    const wrong: string[] = [];
    for (const path of [
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
    ]) {
      await goTo(inside.page, path);
      wrong.push(...(await flawsOf(inside.page, path)));
    }
    await inside.close();
    const out = await openPage(empty.host.url, options);
    await out.page.goto(empty.host.url);
    await out.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    wrong.push(...(await flawsOf(out.page, 'sign in')));
    await out.close();
    expect(wrong).toEqual([]);
    expect([...inside.complaints, ...out.complaints]).toEqual([]);
  });
});

describe('when everything is stopped', () => {
  it('the overview says so, and is accessible', async () => {
    await empty.client.post('/v1/freeze');
    await empty.client.post('/v1/lock');
    const seen = await openDashboard(empty, '/', { colorScheme: 'light' });
    await seen.page.getByText('Everything is stopped').waitFor();
    await seen.page.getByText('The treasury is locked').waitFor();
    const wrong = await flawsOf(seen.page, 'stopped');
    await seen.close();
    expect(wrong).toEqual([]);
  });

  it('the overview lists what was declined, and the question before lifting it does, too', async () => {
    const seen = await openDashboard(treasury, '/', { colorScheme: 'light' });
    await seen.page.getByRole('button', { name: 'Freeze everything' }).click();
    await seen.page.getByText(/waiting requests? w\w+ declined/).waitFor();
    const wrong = await flawsOf(seen.page, 'frozen');
    await seen.page.getByRole('button', { name: 'Unfreeze' }).click();
    await seen.page.getByRole('dialog').getByText('stay').waitFor();
    wrong.push(...(await flawsOf(seen.page, 'unfreezing')));
    await seen.close();
    expect(wrong).toEqual([]);
  });
});
