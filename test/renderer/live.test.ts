// Long lists, reloads, and a host that goes away: every screen says what is wrong and what to do, in plain words.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { goTo, openDashboard, openPage, openServed, useBrowser } from '../harness/browser.ts';
import { live, type Lived } from '../harness/life.ts';
import {
  deploy,
  removeFolder,
  spawnTreasury,
  temporaryFolder,
  until,
  type Treasury,
} from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';
import { limitField } from '../harness/limit-rows.ts';

useBrowser();

/** One that is lived in, for all that leave it as it was. */
let treasury: Treasury;
let lived: Lived;
beforeAll(async () => {
  treasury = await openServed();
  lived = await live(treasury);
});
afterAll(() => treasury.close());

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const pays = tries(60, 625);

describe(`${pays * 16} payments`, () => {
  it('are scrolled through, with a few of their rows in the page at a time', async () => {
    const busy = await openServed();
    closers.push(busy.close);
    await deploy(busy.client, 'busy', { dailyBudget: '0.01', maxPerPayment: '0.01' });
    const body = { service: 'sandbox-weather', amount: '1', currency: 'USDC' };
    // Refusals are rows like payments, and need no chain. The owner's are not folded.
    const pay = async (): Promise<void> => {
      for (let n = 0; n < pays; n += 1) await busy.client.post('/v1/agents/busy/pay', body);
    };
    await Promise.all(Array.from({ length: 16 }, pay));
    expect(busy.host.engine.context.store.transfers.lastSeq()).toBeGreaterThan(pays * 16);

    const { page, complaints, close } = await openDashboard(busy, '/activity');
    closers.push(close);
    await page.getByRole('row').nth(5).waitFor();
    const end = page.getByRole('main').getByText('Funds for busy');
    let mostRows = 0;
    await until(
      'the oldest row',
      async () => {
        await page.mouse.move(700, 500);
        for (let n = 0; n < 10; n += 1) await page.mouse.wheel(0, 4_000);
        mostRows = Math.max(mostRows, await page.getByRole('row').count());
        return end.isVisible();
      },
      100_000,
    );
    expect(mostRows).toBeLessThan(120);
    expect(complaints).toEqual([]);
  });
});

describe('the ledger', () => {
  it('has totals, signs and days, and texts with titles that can be selected above the link of a row', async () => {
    await treasury.client.post('/v1/treasury/time-zone', { timeZone: 'Pacific/Kiritimati' });
    const { page, complaints, close } = await openDashboard(treasury, '/activity');
    closers.push(close);
    const totals = (await treasury.client.get('/v1/activity/totals')).body;
    const sums = page.getByRole('group', { name: 'Totals' });
    await sums.getByText(`${String(totals['payments'])} payments`).waitFor();
    expect(await sums.innerText()).toContain('Days and times in Pacific/Kiritimati');
    const rowOf = (text: string) => page.getByRole('row').filter({ hasText: text }).first();
    expect(await rowOf('Refused').innerText()).not.toMatch(/[+−]/);
    const row = rowOf('Sandbox Weather');
    expect(await row.innerText()).toMatch(/\d:\d\d:\d\d[^]*−0\.\d\d/);
    const heading = new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeZone: 'Pacific/Kiritimati' });
    const { entries } = (await treasury.client.get('/v1/activity?limit=1')).body;
    await page.getByText(heading.format(new Date(String(entries[0].timestamp)))).waitFor();
    for (const part of ['time', '[title^="Paid"]'])
      expect([part, await row.locator(part).evaluate(isOnTop)]).toEqual([part, true]);
    expect(await row.locator('time').getAttribute('title')).toMatch(/just now|ago/);
    await deploy(treasury.client, 'late');
    await sums.getByText(`${Number(totals['flows'].own.count) + 1} between wallets`).waitFor();

    await row.getByRole('cell').nth(2).getByText(/\w/).first().click();
    await page.getByRole('heading', { name: 'What happened' }).waitFor();
    await page.goBack();
    await page.getByLabel('Order').selectOption('Largest first');
    await rowOf('Funds for Research Scout').waitFor();
    await page.getByLabel('Group by').selectOption('Service');
    await page
      .getByRole('region', { name: 'Spent by service' })
      .getByRole('link', { name: 'Web Search' })
      .click();
    await rowOf('Web Search').waitFor();
    await rowOf('Sandbox Weather').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });
});

/** In the page: whether a click on its middle meets it. */
const isOnTop = (element: unknown): boolean => {
  const one = element as {
    getBoundingClientRect(): { x: number; y: number; width: number; height: number };
    contains(other: unknown): boolean;
    ownerDocument: { elementFromPoint(x: number, y: number): unknown };
  };
  const { x, y, width, height } = one.getBoundingClientRect();
  return one.contains(one.ownerDocument.elementFromPoint(x + width / 2, y + height / 2));
};

describe('a reload', () => {
  it('shows the same screen again, still signed in, with its filter', async () => {
    const agent = await deploy(treasury.client, 'scout');
    await agent.pay('0.07');
    const { page, complaints, close } = await openDashboard(treasury, '/activity');
    closers.push(close);
    const search = page
      .getByRole('searchbox')
      .or(page.getByPlaceholder(/search/i))
      .first();
    await search.fill('allocation');
    await page.getByText('0.07').first().waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
    await page.getByText('Funds for scout').first().waitFor();
    expect(await search.inputValue()).toBe('allocation');
    await page.getByText('0.07').first().waitFor({ state: 'detached' });
    await goTo(page, '/agents/scout');
    await page.reload();
    await page.getByRole('heading', { name: 'scout' }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('a restart of the host', () => {
  it('is shown while it lasts, and on the sandbox the page is still signed in afterwards', async () => {
    const dataDir = temporaryFolder();
    const instant = ['--confirm-ms', '0', '--finalize-ms', '0'];
    const first = await spawnTreasury(dataDir, instant);
    closers.push(async () => removeFolder(dataDir));
    const agent = await deploy(first.client, 'scout');
    await agent.pay('0.07');
    const seen = await openPage(first.ready.url);
    closers.push(seen.close);
    const { page } = seen;
    await page.goto(first.ready.loginUrl);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('0.07').first().waitFor();
    await first.kill('SIGKILL');
    await page.getByText('The treasury cannot be reached').first().waitFor();
    expect(await page.getByText('0.07').first().isVisible()).toBe(true);

    const port = new URL(first.ready.url).port;
    const second = await spawnTreasury(dataDir, [...instant, '--port', port]);
    closers.push(() => second.kill('SIGTERM'));
    await page.getByText('The treasury cannot be reached', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('0.07').first().waitFor();
    await page.reload();
    await page.getByText('0.07').first().waitFor();
    first.client.close();
    second.client.close();
  });
});

describe('an open page', () => {
  it('says that the treasury is locked when it was locked elsewhere', async () => {
    const { page, close } = await openDashboard(treasury);
    closers.push(close);
    await treasury.client.post('/v1/lock');
    await page.getByRole('heading', { name: 'The treasury is locked' }).waitFor();
    expect(await page.content()).not.toContain(treasury.owner);
  });

  it('says when a part of it cannot be loaded, still shows the rest, and loads it at the next try', async () => {
    const { page, close } = await openPage(treasury.host.url);
    closers.push(close);
    await page.route('**/assets/Settings-*.js', (route) => route.abort());
    await page.goto(treasury.host.newLoginUrl() ?? '');
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.getByText('This screen could not be loaded').waitFor();
    const said = await page.getByRole('main').innerText();
    expect(said).not.toMatch(/http|fetch|preload|module|\.js/i);
    await page.getByRole('link', { name: 'Approvals' }).first().click();
    await page.getByRole('heading', { name: 'Approvals', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.getByText('This screen could not be loaded').waitFor();
    await page.unroute('**/assets/Settings-*.js');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
  });

  it('has all its screens once it was idle, even when the treasury can no longer be reached', async () => {
    const { page, close } = await openPage(treasury.host.url, { fetchesAhead: true });
    closers.push(close);
    const fetched: string[] = [];
    page.on('requestfinished', (request) => fetched.push(new URL(request.url()).pathname));
    await page.goto(treasury.host.newLoginUrl() ?? '');
    await page.getByRole('link', { name: 'Overview' }).first().waitFor();
    await until('all its scripts', () => fetched.some((path) => path.includes('/NotFound-')));
    // No screen does anything before it is opened: the link page would change the address.
    expect(new URL(page.url()).pathname).toBe('/');
    await page.context().setOffline(true);
    for (const name of ['Treasury', 'Settings', 'Activity', 'Catalog']) {
      await page.getByRole('link', { name, exact: true }).first().click();
      await page.getByRole('heading', { name, exact: true }).first().waitFor();
    }
  });

  it('keeps typed text when the policy cannot be read again', async () => {
    const { page, close } = await openDashboard(treasury, '/agents/scout');
    closers.push(close);
    const budget = await limitField(page, 'Daily budget');
    await budget.fill('3.21');
    await page.route('**/v1/agents/scout/policy?*', (route) => route.abort());
    await treasury.client.post('/v1/agents/scout/rename', { displayName: 'Scout' });
    await page.getByRole('alert').filter({ hasText: 'cannot be reached' }).waitFor();
    expect(await budget.inputValue()).toBe('3.21');
  });
});

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
  /preload|module|\.js\b|failed to fetch|typeerror|undefined|null|unexpected token|(?<!\.)\b50\d\b(?!')/i;

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
