// Pages that the host served, and that are still open when it has ended and a program of the same user has taken its port.
import type { Page } from 'playwright-core';
import { afterEach, describe, it } from 'vitest';
import { openPage, useBrowser } from '../harness/browser.ts';
import { useFolders } from '../harness/folders.ts';
import { deploy, spawnTreasury, until, type Process } from '../harness/treasury.ts';
import { expectNothingOf, isWhole, keptIn, portOf, squat, type Squatter } from './squatter.ts';

useBrowser();
const folder = useFolders();

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const openHost = async (): Promise<Process> => {
  const host = await spawnTreasury(folder(), ['--confirm-ms', '0', '--finalize-ms', '0']);
  closers.push(() => host.kill('SIGKILL'));
  await deploy(host.client, 'scout');
  host.client.close();
  return host;
};

const openEmpty = async ({ ready }: Process): Promise<Page> => {
  const { page, close } = await openPage(ready.url);
  closers.push(close);
  return page;
};

const takePort = async (host: Process): Promise<Squatter> => {
  await host.kill('SIGKILL');
  const squatter = await squat(portOf(host.ready.url));
  closers.push(squatter.close);
  return squatter;
};

const inside = (page: Page) => page.getByRole('button', { name: 'Freeze everything' });
const signedOut = (page: Page) => page.getByRole('heading', { name: 'You are signed out' });

/** A browser in a test shows every tab. */
const canHide = async (page: Page): Promise<(isHidden: boolean) => Promise<unknown>> => {
  await page.addInitScript(
    `Object.defineProperty(document, 'visibilityState', { get: () => (window.isHidden ? 'hidden' : 'visible') })`,
  );
  return (isHidden) =>
    page.evaluate(
      `window.isHidden = ${isHidden}; document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`,
    );
};

describe('a tab that nobody looked at while the host ended', () => {
  it('has the host proven again before it sends its session', async () => {
    const host = await openHost();
    const page = await openEmpty(host);
    const hide = await canHide(page);
    // Time stands: nothing asks for a proof because the last one is old.
    await page.addInitScript(`{ const now = Date.now(); Date.now = () => now; }`);
    await page.goto(host.ready.loginUrl);
    await inside(page).waitFor();
    await isWhole(page);
    const secrets = [await keptIn(page)];

    const asking = new Set<string>();
    let isRead = false;
    const ended = (url: string): void => {
      asking.delete(url);
      isRead ||= url.includes('/v1/dashboard');
    };
    page.on('request', (request) => request.url().includes('/v1/') && asking.add(request.url()));
    page.on('requestfinished', (request) => ended(request.url()));
    page.on('requestfailed', (request) => ended(request.url()));
    await hide(true);
    // In the background it reads everything once more. Then it sends nothing, and does not hear the host end.
    await until('it rests in the background', () => isRead && asking.size === 0);

    const squatter = await takePort(host);
    await hide(false);
    await until('a request of it', () => squatter.sent.some(({ url }) => url.startsWith('/v1/')));
    expectNothingOf({ secrets }, squatter);
    await signedOut(page).waitFor();
    expectNothingOf({ secrets }, squatter);
  });
});
