// Nothing overflows its card and no text is cut, on any screen, at five widths, with the longest names and largest
// amounts that the treasury accepts.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { suspend } from '../../server/engine/payment/stop.ts';
import { goTo, openDashboard, openServed, useBrowser } from '../harness/browser.ts';
import { live, type Lived } from '../harness/life.ts';
import type { TestAgent, Treasury } from '../harness/treasury.ts';
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
import { isLarge } from '../harness/tries.ts';
import { paint, type Painted } from './painted.ts';

useBrowser();

let treasury: Treasury;
let lived: Lived;
let painted: Painted;
let grouped: GroupedAgents;

const agent = (agentId: string): TestAgent => {
  const one = lived.agents[agentId];
  if (one === undefined) throw new Error(`there is no ${agentId}`);
  return one;
};

const longName = 'Internationale Beschaffungskoordination (Nordeuropa und angrenzende Gebiete) 2';
const unbroken = 'W'.repeat(80);

/** The longest names, and amounts with all nine digits before the point and all six behind it. */
const stretch = async ({ client, host }: Treasury): Promise<void> => {
  for (const [agentId, displayName] of [
    ['research-scout', longName],
    ['code-reviewer', unbroken],
  ])
    await client.post(`/v1/agents/${agentId}/rename`, { displayName });
  await client.post('/v1/sandbox/faucet', { amount: '987654321.123456' });
  await client.post('/v1/agents/research-scout/allocate', { amount: '123456789.654321' });
  const policy = { dailyBudget: '888888888.888888', maxPerPayment: '777777777.777777' };
  await client.post('/v1/agents/research-scout/policy', policy);
  await client.post('/v1/treasury/policy', { dailyBudget: '999999999.999999' });
  const { store } = host.engine.context;
  const service = store.services.get('code-review');
  if (service === undefined) throw new Error('there is no code-review');
  const price = '0.123456';
  store.atomically(() =>
    store.services.upsert({
      ...service,
      id: 'long',
      name: unbroken,
      description: `${longName} `.repeat(4),
      price,
    }),
  );
  await client.post('/v1/models/flux-2-pro', { pricing: { '1k': '0.123456' } });
  await agent('research-scout').client.post('/v1/agents/research-scout/pay', {
    service: 'sandbox-weather',
    amount: '45678901.234567',
    currency: 'USDC',
    description: unbroken,
    reason: `${longName} `.repeat(3),
  });
  await agent('code-reviewer').client.post('/v1/agents/code-reviewer/pay', {
    service: 'long',
    amount: '0.876543',
    currency: 'USDC',
    reason: unbroken,
  });
  await client.post('/v1/logins', { terminal: unbroken }, { token: null, owner: null });
  // As a debit that no payment explains stops an agent: with a whole signature.
  await client.post('/v1/agents/newsletter/resume');
  suspend(host.engine.context, 'newsletter', `transaction ${'5'.repeat(88)} took 2.00 USDC`);
};

beforeAll(async () => {
  treasury = await openServed();
  lived = await live(treasury);
  painted = await paint(treasury, agent('research-scout'), agent('travel-planner'));
  await stretch(treasury);
  grouped = await groupedAgents(treasury, unbroken);
  await addRules(treasury);
});
afterAll(async () => {
  await painted.close();
  await treasury.close();
});

/**
 * The visible elements whose contents are wider than they are: cut text, and overflowing cards. Scrolling elements
 * may be wider. Text that is cut with an ellipsis has to be whole in its title, or its name, and long enough to tell
 * what it is.
 */
const overflows = `(() => {
  const isHidden = (element) =>
    element.closest('[aria-hidden=true] svg, .mantine-VisuallyHidden-root, .visually-hidden, .skip-link, .mantine-Switch-track, .mantine-Indicator-root') !== null ||
    getComputedStyle(element).clipPath !== 'none' ||
    element.getClientRects().length === 0 || element.clientWidth <= 1;
  const scrolls = (element) => {
    for (let one = element; one !== null; one = one.parentElement)
      if (['auto', 'scroll'].includes(getComputedStyle(one).overflowX) && one !== document.documentElement) return true;
    return false;
  };
  const isReadable = (element) => {
    const title = element.closest('[title]')?.title ?? '';
    const text = element.innerText.trim();
    return getComputedStyle(element).textOverflow === 'ellipsis' && element.clientWidth >= 72 &&
      title !== '' && (title.includes(text) || text.startsWith(title));
  };
  const name = (element) =>
    [element.tagName.toLowerCase(), element.className.toString().split(' ').filter((part) => !part.startsWith('m_')).join('.'),
      String(element.value || element.innerText || '').slice(0, 60).replaceAll('\\n', ' ')].join(' ');
  return [document.documentElement, ...document.querySelectorAll('body *')]
    .filter((element) => element instanceof HTMLElement && !isHidden(element))
    .filter((element) => element.scrollWidth > element.clientWidth + 1)
    .filter((element) => !isReadable(element))
    .filter((element) => element.tagName === 'INPUT' || !scrolls(element))
    .map((element) => name(element) + ' (' + element.scrollWidth + ' in ' + element.clientWidth + ')');
})()`;

const palette = async (page: Page): Promise<void> => {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find and do' }).fill('W');
};

const looks: readonly Look[] = [
  { name: 'overview', path: () => '/' },
  { name: 'palette', path: () => '/', open: (page) => palette(page) },
  { name: 'keys of the keyboard', path: () => '/', open: (page) => page.keyboard.press('?') },
  { name: 'agents', path: () => '/agents' },
  { name: 'new agent', path: () => '/agents', open: click('New agent') },
  ...manyAgents,
  ...looksOfGroups(() => grouped),
  { name: 'colour and tags', path: () => '/agents/research-scout', open: menu('Colour and tags') },
  // A field may be shorter than the longest name in it.
  { name: 'duplicating', path: () => '/agents/travel-planner', open: menu('Duplicate') },
  { name: 'give', path: () => '/agents/research-scout', open: click('Add funds') },
  { name: 'policy', path: () => '/agents/research-scout' },
  { name: 'keys', path: () => '/agents/code-reviewer', open: tab('Keys and connection') },
  { name: 'history', path: () => '/agents/research-scout', open: tab('History') },
  { name: 'paused agent', path: () => '/agents/newsletter' },
  { name: 'approvals', path: () => '/approvals' },
  { name: 'activity', path: () => '/activity' },
  { name: 'filters', path: () => '/activity', open: click(/^Filters/) },
  ...books,
  { name: 'payment', path: () => `/activity/${lived.paid}` },
  { name: 'refusal', path: () => `/activity/${lived.refused}` },
  { name: 'services', path: () => '/catalog' },
  { name: 'a service', path: () => '/catalog/service/code-review' },
  { name: 'sources', path: () => '/catalog/sources' },
  { name: 'models', path: () => '/catalog/models' },
  { name: 'pictures', path: () => '/gallery' },
  { name: 'a picture', path: () => `/gallery/research-scout/${painted.made}` },
  { name: 'treasury', path: () => '/treasury' },
  { name: 'settings', path: () => '/settings' },
  { name: 'welcome', path: () => '/welcome' },
];

/** Whether a part of the header lies under the next one. */
const overlap = `(() => {
  const parts = [...document.querySelectorAll('header [class*=Badge-root], header button')];
  const boxes = parts.map((part) => part.getBoundingClientRect()).filter(({ width }) => width > 0);
  return boxes.some(({ right }, index) => index + 1 < boxes.length && right > boxes[index + 1].left);
})()`;

const widths = [1280, 900, 768, 600, 360] as const;
/** For what has to be opened anew at each width. */
const fewWidths = isLarge ? widths : ([1280, 768, 360] as const);

describe('every screen fits', () => {
  let page: Page;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ page, close } = await openDashboard(treasury));
  });
  afterAll(() => close());

  it('no part of the header covers another', async () => {
    const covered: number[] = [];
    for (const width of widths) {
      await page.setViewportSize({ width, height: 860 });
      await page.waitForTimeout(100);
      if (await page.evaluate(overlap)) covered.push(width);
    }
    expect(covered).toEqual([]);
  });

  it.each(looks.map((look) => [look.name, look] as const))('%s', async (_, { path, open }) => {
    const wrong: string[] = [];
    const isFresh = (at: number): boolean => at === 0 || open !== undefined;
    for (const [at, width] of (open === undefined ? widths : fewWidths).entries()) {
      await page.setViewportSize({ width, height: 860 });
      // A screen follows its width; what is opened on it is opened at each, on a fresh one.
      if (isFresh(at)) {
        await goTo(page, '/nowhere');
        await goTo(page, path());
      }
      await open?.(page);
      // Answers of the treasury that are still under way come first.
      await page.waitForTimeout(isFresh(at) ? 300 : 50);
      const found = (await page.evaluate(overflows)) as string[];
      wrong.push(...found.map((one) => `at ${width} px: ${one}`));
      if (open !== undefined) await page.keyboard.press('Escape');
    }
    expect(wrong).toEqual([]);
  });
});
