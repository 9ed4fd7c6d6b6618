// The host goes away under an open page: every screen says what is wrong and what to do, in plain words.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goTo, openDashboard, openServed, useBrowser } from '../harness/browser.ts';
import { live, type Lived } from '../harness/life.ts';
import { until, type Treasury } from '../harness/treasury.ts';

useBrowser();

let treasury: Treasury;
let lived: Lived;
beforeAll(async () => {
  treasury = await openServed();
  lived = await live(treasury);
});
afterAll(() => treasury.close());

const paths = (): string[] => [
  '/',
  '/welcome',
  '/agents',
  '/agents/research-scout',
  '/agents/nobody',
  '/approvals',
  '/activity',
  `/activity/${lived.paid}`,
  '/catalog',
  '/catalog/models',
  '/gallery',
  '/gallery/research-scout/none',
  '/treasury',
  '/settings',
  '/nowhere',
];

const jargon =
  /preload|module|\.js\b|failed to fetch|typeerror|undefined|null|unexpected token|\b50\d\b(?!')/i;

/** The screens that say something wrong while nobody answers. */
const sayings = async (page: Page): Promise<string[]> => {
  const wrong: string[] = [];
  for (const path of paths()) {
    await goTo(page, path);
    const main = page.getByRole('main');
    await main.getByText('The treasury cannot be reached').first().waitFor();
    const text = await main.innerText();
    if (!/start it again/i.test(text)) wrong.push(`${path} says nothing to do: ${text}`);
    if (jargon.test(text)) wrong.push(`${path}: ${jargon.exec(text)?.[0]} in ${text}`);
  }
  return wrong;
};

describe('a host that went away', () => {
  it('is told on every screen, also on those that were never opened', async () => {
    const { page, close } = await openDashboard(treasury, '/', { fetchesAhead: true });
    const fetched = new Set<string>();
    page.on('requestfinished', (request) => fetched.add(new URL(request.url()).pathname));
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await until('all its scripts', () => [...fetched].some((path) => path.includes('/NotFound-')));
    await page.route('**/*', (route) => route.abort());
    await page.context().setOffline(true);
    // The stream that was open is cut as well.
    await treasury.client.post('/v1/lock');
    await treasury.client.post('/v1/unlock');
    expect(await sayings(page)).toEqual([]);
    await close();
  });

  it('is told where the code of the screen was not loaded either', async () => {
    const { page, close } = await openDashboard(treasury);
    await page.route('**/*', (route) => route.abort());
    await treasury.client.post('/v1/lock');
    await treasury.client.post('/v1/unlock');
    expect(await sayings(page)).toEqual([]);
    await close();
  });

  it('is told when it went before anything was read', async () => {
    const { page, close } = await openDashboard(treasury);
    await page.route('**/v1/**', (route) => route.abort());
    await page.reload();
    await page.getByText('The treasury cannot be reached').first().waitFor();
    expect(await page.getByRole('main').innerText()).toMatch(/Start it again/);
    await page.unroute('**/v1/**');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await close();
  });
});
