// Pages that the host served, and that are still open when it has ended and a program of the same user has taken its port.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { rendererFolder } from '../../build/build.ts';
import { openPage, useBrowser } from '../harness/browser.ts';
import { useFolders } from '../harness/folders.ts';
import { deploy, spawnTreasury, until, type Process } from '../harness/treasury.ts';
import { hidesKeychain, openInside, openMainnet, passphrase, type Mainnet } from '../host/support.ts';
import { newWallet } from '../harness/sign-in.ts';
import { addIdentity, addWallet, askToLink } from './link-support.ts';
import {
  expectNothingOf,
  isWhole,
  keptIn,
  portOf,
  saysYes,
  squat,
  type Answers,
  type Squatter,
} from './squatter.ts';

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
  closers.push(async () => host.client.close());
  return host;
};

const openEmpty = async ({ ready }: Process): Promise<Page> => {
  const { page, close } = await openPage(ready.url, { fetchesAhead: true });
  closers.push(close);
  return page;
};

const takePort = async (host: Process, answers: Answers = saysYes): Promise<Squatter> => {
  await host.kill('SIGKILL');
  const squatter = await squat(portOf(host.ready.url), answers);
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

/** It asks for a proof, and for files of the page. */
const expectQuestionsAlone = ({ sent }: Squatter): void => {
  for (const { method, url } of sent) {
    expect(method).toBe('GET');
    if (url.startsWith('/v1/')) expect(url).toMatch(/^\/v1\/(health\?nonce=|link-sessions\/)/);
  }
};

/** A page of the sign-in that was never signed in, in a browser where the owner was. */
const openSignedOut = async (host: Process): Promise<{ page: Page; known: string }> => {
  const before = await openEmpty(host);
  await before.goto(host.ready.loginUrl);
  await inside(before).waitFor();
  const known = String(await before.evaluate(`localStorage.getItem('treasury-known')`));
  expect(known).toMatch(/^knw_[\w-]{43}$/);
  await before.evaluate(`location.hash = '/settings'`);
  await before.getByRole('button', { name: 'Sign out' }).click();
  await signIn(before).waitFor();
  const page = await before.context().newPage();
  await page.goto(host.ready.url);
  await signIn(page).waitFor();
  await before.close();
  return { page, known };
};
const signIn = (page: Page) => page.getByRole('button', { name: 'Sign in' });

describe('a page that was never signed in', () => {
  it.each(['Passphrase', 'Owner token'])('sends no %s to a host that did not send the page', async (way) => {
    const host = await openHost();
    const { page, known } = await openSignedOut(host);
    await page.getByText(way, { exact: true }).first().click();
    await page.getByRole('textbox', { name: way }).fill('correct horse battery');
    const squatter = await takePort(host);
    await signIn(page).click();
    await page.getByText('another program answers at its address').waitFor();
    expectQuestionsAlone(squatter);
    expectNothingOf({ secrets: ['correct horse battery', known] }, squatter);
    // The way on: the page of the host that runs now.
    expect(await page.getByRole('button').allInnerTexts()).toEqual(['Load the page again']);
  });

  it('sends no login that is pasted into its address to such a host, nor that it is known there', async () => {
    const host = await openHost();
    const { page, known } = await openSignedOut(host);
    const squatter = await takePort(host);
    const login = 'A'.repeat(43);
    await page.evaluate(`location.hash = 'login=${login}'`);
    await until('it is loaded again', () => squatter.sent.some(({ url }) => url === '/'));
    expectQuestionsAlone(squatter);
    expectNothingOf({ secrets: [login, known] }, squatter);
  });

  it('signs in at the host that sent it', async () => {
    const host = await openHost();
    const { page } = await openSignedOut(host);
    await page
      .getByRole('textbox', { name: 'Owner token' })
      .fill(readFileSync(host.ready.cookieFile, 'utf8'));
    await signIn(page).click();
    await inside(page).waitFor();
  });
});

const silentAboutLinks: Answers = (request, response, body) => {
  if (request.url?.startsWith('/v1/link-sessions/') === true) response.writeHead(503).end('{}');
  else saysYes(request, response, body);
};

describe('the page of a link', () => {
  it('asks a host that did not send the page for nothing that a wallet signs', async () => {
    const host = await openHost();
    const wallet = newWallet();
    await addIdentity(host, 'wallet', wallet.address, 'My wallet');
    const terminal = await askToLink(host);
    const page = await openEmpty(host);
    await addWallet(page, wallet, { name: 'Glow', knows: 'solana:signMessage' });
    await page.goto(terminal.linkUrl);
    await page.getByRole('button', { name: 'With a wallet' }).click();
    const squatter = await takePort(host, silentAboutLinks);
    await page.getByRole('button', { name: 'Glow' }).click();
    await page.getByText('another program answers at its address').waitFor();
    expectQuestionsAlone(squatter);
    expectNothingOf({ secrets: [wallet.address] }, squatter);
  });
});

describe.skipIf(!hidesKeychain)('the page of a link, on a real network (Linux alone)', () => {
  let mainnet: Mainnet;
  beforeAll(async () => {
    mainnet = await openMainnet();
  });
  afterAll(() => mainnet.close());

  it('sends no passphrase to a host that did not send the page', async () => {
    const { host, client, close } = await openInside(folder(), mainnet.args, { dashboard: rendererFolder });
    const terminal = await askToLink({ client });
    const seen = await openPage(host.url, { fetchesAhead: true });
    closers.push(seen.close);
    const { page } = seen;
    await page.goto(terminal.linkUrl);
    await page.getByRole('button', { name: 'With the passphrase' }).click();
    const field = page.getByRole('textbox', { name: 'Passphrase' });
    await field.fill(passphrase);
    await close();
    const squatter = await squat(portOf(host.url), silentAboutLinks);
    closers.push(squatter.close);
    await field.press('Enter');
    await page.getByText('another program answers at its address').waitFor();
    expectQuestionsAlone(squatter);
    expectNothingOf({ secrets: [passphrase] }, squatter);
  });
});
