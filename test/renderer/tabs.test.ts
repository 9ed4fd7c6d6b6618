// One sign-in for all tabs of a browser; what ends it, and how a tab says so.
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { rendererFolder } from '../../build/build.ts';
import { openDashboard, openPage, openServed, patienceMs, useBrowser, inside } from '../harness/browser.ts';
import { useFolders } from '../harness/folders.ts';
import { deploy, until, type Treasury } from '../harness/treasury.ts';
import { hidesKeychain, openInside, openMainnet, passphrase, type Mainnet } from '../host/support.ts';

useBrowser();
const folder = useFolders();

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** One for all tests, with an agent. */
let treasury: Treasury;
beforeAll(async () => {
  treasury = await openServed();
  await deploy(treasury.client, 'scout', { allocate: null });
});
afterAll(() => treasury.close());
const dashboard = async (at: Pick<Treasury, 'host'>, path = '/') => {
  const seen = await openDashboard(at, path);
  closers.push(seen.close);
  return seen;
};
const tab = async (context: BrowserContext, url: string): Promise<Page> => {
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  await page.goto(url);
  return page;
};
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).first();
const signInForm = (page: Page) => page.getByRole('button', { name: 'Sign in' });

/** The requests to the API, in their order. */
const asksOf = (page: Page): string[] => {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/v1/')) asked.push(`${request.method()} ${pathname.slice(4)}`);
  });
  return asked;
};

const overview = (page: Page) => page.getByText('Nothing was spent in the last 30 days').waitFor();
// A month of 31 days is longer than the chart.
const longMonth = new Date().getDate() > 30 ? ['GET spending'] : [];
const lists = [
  'GET activity',
  'GET activity',
  'GET activity',
  'GET notices',
  'GET spending',
  ...longMonth,
  'GET treasury/time-zone',
  'GET unpayable-sellers',
];
// News of a wallet's balance has the snapshot read once more.
const listsIn = (asked: readonly string[]): string[] =>
  asked
    .slice(4)
    .filter((one) => one !== 'GET dashboard')
    .toSorted();

describe('the requests of a page until its overview is there', () => {
  it('are one proof and the sign-in, then all that it shows at once; its icon comes once', async () => {
    const { page, close } = await openPage(treasury.host.url);
    closers.push(close);
    const asked = asksOf(page);
    await page.goto(treasury.host.newLoginUrl() ?? '');
    await overview(page);
    expect(asked.slice(0, 4)).toEqual(['GET health', 'POST session', 'GET events', 'GET dashboard']);
    expect(listsIn(asked)).toEqual(lists);
    const icons = await page.evaluate(
      `performance.getEntriesByType('resource').filter((one) => one.name.endsWith('.svg') && one.transferSize > 0).length`,
    );
    expect(icons).toBe(1);
  });

  it('of a tab that another let in have the host proven before its session is sent', async () => {
    const { page } = await dashboard(treasury);
    const second = await page.context().newPage();
    const asked = asksOf(second);
    await second.goto(treasury.host.url);
    await overview(second);
    expect(asked.slice(0, 4)).toEqual(['POST session', 'GET health', 'GET events', 'GET dashboard']);
    expect(listsIn(asked)).toEqual(lists);
  });
});

describe('a second tab', () => {
  it('is signed in by the first, at the address that was asked for, and stays so over a reload', async () => {
    const { page } = await dashboard(treasury);
    const second = await tab(page.context(), `${treasury.host.url}/#/catalog`);
    await heading(second, 'Catalog').waitFor();
    await second.reload();
    await heading(second, 'Catalog').waitFor();
    await page.close();
    await second.reload();
    await heading(second, 'Catalog').waitFor();
    // A typed address, which is not the page's own.
    const third = await tab(second.context(), `${treasury.host.url}/activity`);
    await heading(third, 'Activity').waitFor();
    // Where filters stood before the hash once, they are moved into it.
    for (const address of ['#/activity?agent=scout', '?agent=scout#/activity']) {
      const filtered = await tab(second.context(), `${treasury.host.url}/${address}`);
      await filtered.getByRole('button', { name: 'Export' }).waitFor();
      const agent = filtered.getByRole('combobox', { name: 'Agent' });
      expect([await agent.inputValue(), filtered.url()]).toEqual([
        'scout',
        `${treasury.host.url}/#/activity?agent=scout`,
      ]);
    }
  });

  it('is signed in by a tab too busy to answer at once', async () => {
    const { page } = await dashboard(treasury);
    await page.evaluate(
      `BroadcastChannel.prototype.postMessage = ((say) => function (said) {
        setTimeout(() => say.call(this, said), said.says === 'wait' ? 1000 : 1500);
      })(BroadcastChannel.prototype.postMessage)`,
    );
    const second = await tab(page.context(), `${treasury.host.url}/#/catalog`);
    await heading(second, 'Catalog').waitFor();
  });

  it('gets a session of its own, and none crosses the channel of the tabs', async () => {
    const { page } = await dashboard(treasury);
    const listener = await tab(page.context(), `${treasury.host.url}/icon.svg`);
    await listener.evaluate(
      `window.said = []; new BroadcastChannel('treasury-tabs').onmessage = (e) => said.push(JSON.stringify(e.data))`,
    );
    const second = await tab(page.context(), treasury.host.url);
    await inside(second).waitFor();
    const [one, two] = [await keptIn(page), await keptIn(second)];
    expect(one).toMatch(/^own_/);
    expect(two).toMatch(/^own_/);
    expect(one).not.toBe(two);
    const said = String(await listener.evaluate('said.join()'));
    expect(said).toContain('you-are-in');
    expect(said).not.toMatch(/own_|knw_|\./);
  });

  it('that waits at its sign-in comes in when another signs in', async () => {
    const { page, close } = await openPage(treasury.host.url);
    closers.push(close);
    await page.goto(`${treasury.host.url}/#/settings`);
    await signInForm(page).waitFor();
    const second = await tab(page.context(), treasury.host.newLoginUrl() ?? '');
    await inside(second).waitFor();
    await heading(page, 'Settings').waitFor();
  });

  it('is signed out with the first, and says so; what is not signed in lets nobody in', async () => {
    const { page } = await dashboard(treasury, '/settings/computer');
    const second = await tab(page.context(), treasury.host.url);
    await inside(second).waitFor();
    await page.getByText('in all tabs of this browser, for twelve hours').waitFor();
    await page.getByText('so does a restart on a real network').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signInForm(page).waitFor();
    await second.getByText('You signed out in another tab').waitFor();
    await second.reload();
    await heading(second, 'Sign in').waitFor();
    expect(await keptIn(page)).toBe('null');
  });

  it('of another browser is not signed in', async () => {
    await dashboard(treasury);
    const { page, close } = await openPage(treasury.host.url);
    closers.push(close);
    await page.goto(treasury.host.url);
    await signInForm(page).waitFor();
  });
});

const keptIn = (page: Page): Promise<string> =>
  page.evaluate(
    `String(JSON.parse(sessionStorage.getItem('treasury-session') ?? '{"session":null}').session)`,
  );

const isShown = (page: Page, shown: boolean) =>
  page.evaluate(
    `window.shown = ${shown}; document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`,
  );

describe('a tab that nobody looks at', () => {
  it('holds no connection: a browser has six for all tabs, and eight tabs work', async () => {
    const { page } = await dashboard(treasury);
    const context = page.context();
    await context.addInitScript(
      `Object.defineProperty(document, 'visibilityState', { get: () => (window.shown ? 'visible' : 'hidden') })`,
    );
    const tabs: Page[] = [];
    for (let n = 0; n < 7; n += 1) tabs.push(await tab(context, `${treasury.host.url}/#/agents`));
    for (const one of tabs) await inside(one).waitFor();
    const [first] = tabs;
    if (first === undefined) throw new Error('no tab');
    await deploy(treasury.client, 'planner', { allocate: null });
    await isShown(first, true);
    await first.getByText('planner').first().waitFor();
    // Looked at, it has its events again.
    await treasury.client.post('/v1/agents/planner/rename', { displayName: 'Pathfinder' });
    await first.getByText('Pathfinder').first().waitFor();
    const ended = first.waitForEvent('requestfailed', (one) => one.url().includes('/v1/events'));
    await isShown(first, false);
    await ended;
    expect(await first.getByText('The treasury cannot be reached').count()).toBe(0);
    await treasury.client.post('/v1/lock');
    await isShown(first, true);
    await heading(first, 'The treasury is locked').waitFor();
    await treasury.client.post('/v1/unlock');
  });
});

describe('a login that is pasted into the address of an open page', () => {
  it('signs in at the address that was asked for, and is gone from the address and the history', async () => {
    const { page, close } = await openPage(treasury.host.url);
    closers.push(close);
    await page.goto(`${treasury.host.url}/catalog`);
    await signInForm(page).waitFor();
    const login = treasury.host.newLoginUrl() ?? '';
    await page.goto(login);
    await heading(page, 'Catalog').waitFor();
    expect(new URL(page.url()).hash).toBe('#/catalog');
    await page.goBack().catch(() => null);
    expect(page.url()).not.toContain('login=');
  });

  it('that was used says so, leaves with the sign-in, and changes nothing where somebody is signed in', async () => {
    const { page } = await dashboard(treasury, '/activity');
    const login = treasury.host.newLoginUrl() ?? '';
    await page.goto(login);
    await heading(page, 'Activity').waitFor();
    expect(new URL(page.url()).hash).toBe('#/activity');
    await page.evaluate(`location.hash = '/settings/computer'`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signInForm(page).waitFor();
    await page.goto(`${treasury.host.url}/#login=${'A'.repeat(43)}`);
    await page.getByText('This login was used before').waitFor();
    await page.goto(login);
    await heading(page, 'Settings').waitFor();
    await page.getByText('This login was used before').first().waitFor({ state: 'detached' });
  });
});

describe('a notice of failure', () => {
  it('leaves with the screen it was on, and with the sign-in; so does an open dialog', async () => {
    const { page } = await dashboard(treasury, '/activity');
    const failed = page.getByText('Nothing was stopped');
    const fail = async () => {
      await page.route('**/v1/freeze?*', (route) => route.abort());
      await page.getByRole('button', { name: 'Freeze everything' }).click();
      await failed.waitFor();
      await page.unroute('**/v1/freeze?*');
    };
    await fail();
    await page.getByRole('link', { name: 'Overview' }).first().click();
    await failed.waitFor({ state: 'detached' });
    await fail();
    await page.evaluate(`location.hash = '/treasury'`);
    await page.getByText('Recovery phrase, lock, network').click();
    await page.getByRole('button', { name: 'Lock the treasury' }).click();
    await page.getByRole('dialog').waitFor();
    await treasury.client.post('/v1/lock');
    await heading(page, 'The treasury is locked').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await failed.count()).toBe(0);
    await treasury.client.post('/v1/unlock');
  });
});

describe.skipIf(!hidesKeychain)('on a real network (Linux alone)', () => {
  let mainnet: Mainnet;
  beforeAll(async () => {
    mainnet = await openMainnet();
  });
  afterAll(() => mainnet.close());

  const open = async (dataDir: string, ...more: string[]) => {
    const opened = await openInside(dataDir, [...mainnet.args, ...more], { dashboard: rendererFolder });
    closers.push(opened.close);
    return opened;
  };

  it('a restart signs out every tab, which says so; a sign-in in one brings the others back', async () => {
    const dataDir = folder();
    const first = await open(dataDir);
    const { page } = await dashboard(first, '/settings/computer');
    await page.getByText('so does a restart on a real network').waitFor();
    const second = await tab(page.context(), `${first.host.url}/#/catalog`);
    await heading(second, 'Catalog').waitFor();
    closers.pop();
    closers.pop();
    closers.push(() => page.context().close());
    await first.close();
    await page.getByText('The treasury cannot be reached').first().waitFor();
    const { port } = new URL(first.host.url);
    const { host } = await open(dataDir, '--port', port);
    for (const one of [page, second]) {
      await heading(one, 'You are signed out').waitFor();
      await one.getByText('Either the treasury restarted, or another program').waitFor();
      expect(await signInForm(one).count()).toBe(0);
    }
    const third = await tab(page.context(), host.newLoginUrl() ?? '');
    await inside(third).waitFor();
    await heading(page, 'Settings').waitFor();
    await heading(second, 'Catalog').waitFor();
  });

  it('a page that is loaded after the restart says that, and takes the passphrase', async () => {
    const dataDir = folder();
    const first = await open(dataDir);
    const { page } = await dashboard(first, '/activity');
    closers.splice(-2);
    closers.push(() => page.context().close());
    await first.close();
    const { port } = new URL(first.host.url);
    await open(dataDir, '--port', port);
    const kept = `{"session":"own_${'A'.repeat(43)}","owner":"${first.host.owner}"}`;
    // Before the page's own scripts run: the page that is open forgets its session when it sees the restart.
    await page.addInitScript(`sessionStorage.setItem('treasury-session', '${kept}')`);
    await page.reload();
    await page.getByText('The treasury has restarted since you signed in').waitFor();
    await page.getByText('Passphrase', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Passphrase' }).fill(passphrase);
    await signInForm(page).click();
    await heading(page, 'Activity').waitFor();
  });

  it('a change of the passphrase signs out every tab, which says so', async () => {
    const opened = await open(folder());
    const { page } = await dashboard(opened, '/treasury');
    const second = await tab(page.context(), opened.host.url);
    await inside(second).waitFor();
    await page.getByLabel('Current passphrase').fill(passphrase);
    await page.getByRole('textbox', { name: 'New passphrase', exact: true }).fill('another horse battery');
    await page.getByRole('textbox', { name: 'New passphrase again' }).fill('another horse battery');
    await page.getByRole('button', { name: 'Change passphrase' }).click();
    await page.getByText('The passphrase was changed, which signed out').waitFor();
    await second.getByText('The passphrase was changed, which signed out').waitFor();
    await until('the end', async () => (await keptIn(second)) === 'null');
  });
});
