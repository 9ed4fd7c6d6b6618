// A program of the same user ends the host, takes its port, and with it the origin of every open page. It gets no
// session, whatever it answers, and whatever the owner presses meanwhile; nor anything of the pages that are still open.
import { readFileSync } from 'node:fs';
import { request as ask } from 'node:http';
import type { RequestHandler } from 'express';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { rendererFolder } from '../../build/build.ts';
import { listen } from '../../server/http/server.ts';
import { createLog } from '../../server/log.ts';
import { inside, openDashboard, openPage, settled, useBrowser } from '../harness/browser.ts';
import { useFolders } from '../harness/folders.ts';
import { createClient } from '../harness/http-client.ts';
import { deploy, spawnTreasury, until, type Process } from '../harness/treasury.ts';
import { newWallet } from '../harness/chain/sign-in.ts';
import { hidesKeychain, openInside, openMainnet, passphrase, type Mainnet } from '../host/support.ts';
import { isOpen, openSession, ticketIn } from '../http/door/session-pages.ts';
import { addIdentity, addWallet, askToLink } from './link-support.ts';
import {
  expectNothingOf,
  isWhole,
  keptIn,
  noncesOf,
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

const instant = ['--confirm-ms', '0', '--finalize-ms', '0'];
const screens = ['/', '/gallery'];
const others = [
  '/agents/scout',
  '/activity',
  '/approvals',
  '/catalog',
  '/catalog/models',
  '/treasury',
  '/settings',
  '/activity/pay_none',
];

interface Victim {
  host: Process;
  dataDir: string;
  context: BrowserContext;
  pages: Page[];
  /** The page of a link, signed in as the owner. */
  link: Page;
  /** All that the browser keeps and must not send. */
  secrets: string[];
}

/** A tab at each screen, and one at the link page. */
const openVictim = async (): Promise<Victim> => {
  const dataDir = folder();
  const host = await spawnTreasury(dataDir, instant);
  closers.push(() => host.kill('SIGKILL'));
  await deploy(host.client, 'scout');
  const seen = await openPage(host.ready.url, { fetchesAhead: true });
  closers.push(seen.close);
  await seen.page.goto(host.ready.loginUrl);
  await inside(seen.page).waitFor();
  const context = seen.page.context();
  const pages = [seen.page];
  for (const path of screens.slice(1)) {
    const page = await context.newPage();
    await page.goto(`${host.ready.url}/#${path}`);
    await inside(page).waitFor();
    pages.push(page);
  }
  const terminal = await askToLink({ client: host.client });
  const link = await context.newPage();
  await link.goto(terminal.linkUrl);
  await link.getByText('You are signed in as the owner').waitFor();
  const known = String(await link.evaluate(`localStorage.getItem('treasury-known')`));
  const secrets = [known, ...(await Promise.all([...pages, link].map(keptIn)))];
  expect(secrets.every((one) => /^(own|knw)_[\w-]{43}$/.test(one))).toBe(true);
  expect(new Set(secrets).size).toBe(screens.length + 2);
  await Promise.all(pages.map(isWhole));
  // What is under way as the host ends is not promised.
  await Promise.all([...pages, link].map(settled));
  host.client.close();
  return { host, dataDir, context, pages, link, secrets };
};

const signedOut = (page: Page) => page.getByRole('heading', { name: 'You are signed out' });

const takePort = async ({ host }: Pick<Victim, 'host'>, answers: Answers = saysYes): Promise<Squatter> => {
  await host.kill('SIGKILL');
  const squatter = await squat(portOf(host.ready.url), answers);
  closers.push(squatter.close);
  return squatter;
};

describe('a program that takes the port', () => {
  it('gets a random challenge from each tab, and nothing after a wrong answer to it', async () => {
    const victim = await openVictim();
    const squatter = await takePort(victim);
    for (const page of victim.pages) {
      await signedOut(page).waitFor();
      expect(await keptIn(page)).toBe('undefined');
    }
    const before = squatter.sent.length;
    const nonces = noncesOf(squatter);
    expect(nonces.length).toBeGreaterThanOrEqual(victim.pages.length);
    expect(new Set(nonces).size).toBe(nonces.length);
    for (const page of victim.pages) {
      expect(await page.getByRole('textbox').count()).toBe(0);
      // Somebody pastes a login into the address of such a tab: it is loaded again, and asks this program for the page.
      expect(await page.getByRole('button').allInnerTexts()).toEqual(['Load the page again']);
    }
    await victim.link.getByRole('button', { name: 'Link this machine' }).click();
    await victim.link.getByText('You are signed out').waitFor();
    const later = squatter.sent.slice(before).filter(({ url }) => !url.startsWith('/v1/link-sessions/'));
    expect(later.every(({ url }) => url.startsWith('/v1/health?'))).toBe(true);
    expectNothingOf(victim, squatter);
  });

  it('gets nothing while it says that it is starting, whatever is pressed and read meanwhile', async () => {
    const victim = await openVictim();
    const squatter = await takePort(victim, (_request, response) => {
      response.writeHead(503, { 'Content-Type': 'application/json' }).end('{"error":"soon","code":"halted"}');
    });
    const [page] = victim.pages;
    if (page === undefined) throw new Error('no page');
    await page.getByText('The treasury cannot be reached').first().waitFor();
    await page.getByRole('button', { name: 'Freeze everything' }).click();
    await page.getByText('Nothing was stopped').waitFor();
    for (const path of [...others, ...screens, '/gallery/scout/none']) {
      await page.evaluate(`location.hash = ${JSON.stringify(path)}`);
      await page.getByText('The treasury cannot be reached').first().waitFor();
    }
    await page.evaluate(`location.hash = '/activity'`);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: /CSV/ }).click();
    await page.getByText('The file was not saved').waitFor();
    await page.evaluate(`location.hash = '/settings/computer'`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are still signed in.').waitFor();
    expect(noncesOf(squatter).length).toBeGreaterThan(victim.pages.length);
    expectNothingOf(victim, squatter);

    // The host comes back: every tab is where it was, without a sign-in.
    await squatter.close();
    const again = await spawnTreasury(victim.dataDir, [
      ...instant,
      '--port',
      `${portOf(victim.host.ready.url)}`,
    ]);
    closers.push(() => again.kill('SIGKILL'));
    again.client.close();
    for (const one of victim.pages)
      await one.getByText('The treasury cannot be reached', { exact: true }).waitFor({ state: 'detached' });
    // The note about what could not be done then has left with it.
    await page.getByText('You are still signed in.').waitFor({ state: 'detached' });
    for (const one of victim.pages) expect(await inside(one).isVisible()).toBe(true);
  });

  it('cannot pass on the proof of the host on another port, nor repeat one, nor end a session in its name', async () => {
    const victim = await openVictim();
    const url = victim.host.ready.url;
    await victim.host.kill('SIGKILL');
    const moved = await spawnTreasury(victim.dataDir, instant);
    closers.push(() => moved.kill('SIGKILL'));
    const proofs: string[] = [];
    const squatter = await squat(portOf(url), (request, response) => {
      if (request.url?.startsWith('/v1/health?') !== true) return void response.writeHead(503).end('{}');
      const relayed = ask(new URL(request.url ?? '', moved.ready.url), (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        answer.on('end', () => {
          proofs.push(text);
          // The first one again and again, and a word of its own.
          const said = { ...JSON.parse(proofs[0] ?? '{}'), ...JSON.parse(text), ended: undefined };
          const isOdd = proofs.length % 2 === 1;
          response
            .writeHead(200, { 'Content-Type': 'application/json' })
            .end(isOdd ? JSON.stringify(said) : JSON.stringify({ ...said, ended: 'locked' }));
        });
      });
      relayed.on('error', () => response.destroy()).end();
    });
    closers.push(squatter.close);
    for (const page of victim.pages) await signedOut(page).waitFor();
    expect(proofs.length).toBeGreaterThanOrEqual(victim.pages.length);
    expectNothingOf(victim, squatter);
    // It was the right host: its sessions live.
    const client = createClient(moved.ready.url, moved.ready.owner, null);
    expect(await isOpen(client, victim.secrets[1] ?? '')).toBe(true);
    client.close();
    moved.client.close();
  });

  it('has no script of its own run, neither for a screen that is not loaded yet nor out of the cache', async () => {
    const dataDir = folder();
    const host = await spawnTreasury(dataDir, instant);
    closers.push(() => host.kill('SIGKILL'));
    host.client.close();
    const { url } = host.ready;
    const { page, close } = await openPage(url, { fetchesAhead: true });
    closers.push(close);
    await page.route('**/assets/Settings-*.js', (route) => route.abort());
    await page.goto(host.ready.loginUrl);
    await inside(page).waitFor();
    const secrets = [await keptIn(page)];
    await settled(page);
    const html = await (await fetch(url)).text();
    const [entry = ''] = /assets\/index-[\w-]+\.js/.exec(html) ?? [];
    const squatter = await takePort({ host }, (request, response) => {
      if (request.url?.endsWith('.js') === true)
        response
          .writeHead(200, {
            'Content-Type': 'text/javascript',
            'Cache-Control': 'max-age=31536000, immutable',
          })
          .end(`window.ran = true; export default () => { window.ran = true; };`);
      else if (request.url === '/evil')
        response
          .writeHead(200, { 'Content-Type': 'text/html' })
          .end(
            `<script type="module">await fetch('/${entry}', { cache: 'reload' }); window.isKept = true;</script>`,
          );
      else response.writeHead(503).end('{}');
    });
    await page.unroute('**/assets/Settings-*.js');
    await page.getByText('The treasury cannot be reached').first().waitFor();
    await page.evaluate(`location.hash = '/settings'`);
    await page.getByText('This screen could not be loaded').waitFor();
    expect(squatter.sent.some(({ url: asked }) => asked.includes('/assets/Settings-'))).toBe(true);
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expectNothingOf({ secrets }, squatter);

    await page.goto(`${url}/evil`);
    await until('its script in the cache', async () => (await page.evaluate('window.isKept')) === true);
    await squatter.close();
    const again = await spawnTreasury(dataDir, [...instant, '--port', `${portOf(url)}`]);
    closers.push(() => again.kill('SIGKILL'));
    again.client.close();
    const complained = page.waitForEvent('console', (message) => message.text().includes('integrity'));
    await page.goto(`${url}/`);
    await complained;
    expect(await page.evaluate('window.ran')).toBeUndefined();
  });

  it('has no request of a page follow its redirects', async () => {
    const victim = await openVictim();
    const squatter = await takePort(victim, (request, response) => {
      if (request.url?.startsWith('/elsewhere') === true) return void response.writeHead(404).end('{}');
      response.writeHead(307, { Location: `/elsewhere${request.url ?? ''}` }).end();
    });
    const asked = (path: string): number => squatter.sent.filter(({ url }) => url.startsWith(path)).length;
    // A followed redirect shows before the same page asks again.
    await until('each page asks twice', () => {
      const isLinkBack = asked('/v1/link-sessions/') >= 2;
      return isLinkBack && noncesOf(squatter).length >= 2 * victim.pages.length;
    });
    // A browser follows those of scripts and icons by itself, and runs no script whose hash is another.
    expect(asked('/elsewhere/')).toBe(asked('/elsewhere/assets/') + asked('/elsewhere/icon.svg'));
    expectNothingOf(victim, squatter);
  });
});

const openHost = async (): Promise<Process> => {
  const host = await spawnTreasury(folder(), instant);
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

describe('a request that is under way when the host ends', () => {
  it('is not repeated to the program that has the port by then', async () => {
    const http = await listen({ port: 0, publicUrl: () => null, log: createLog('silent') });
    const held = Promise.withResolvers<void>();
    const answer: RequestHandler = ({ path }, response) =>
      path === '/held' ? held.resolve() : void response.send('<p>hello</p>');
    http.mount([{ path: '/', router: answer }]);
    const { page, close } = await openPage(http.url);
    closers.push(close);
    await page.goto(http.url);
    await page.evaluate(`fetch('/quick').then((answer) => answer.text())`);
    const asked = page.evaluate(
      `fetch('/held', { method: 'POST', body: 'a passphrase' }).then(() => 'answered', () => 'failed')`,
    );
    await held.promise;
    // It takes no new connection from now on, and cuts the old ones a second later.
    const ended = http.close();
    const squatter = await squat(http.port);
    closers.push(squatter.close);
    await ended;
    expect(await asked).toBe('failed');
    expect(squatter.sent).toEqual([]);
  });
});

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

    const squatter = await takePort({ host });
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
  await before.evaluate(`location.hash = '/settings/computer'`);
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
    const squatter = await takePort({ host });
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
    const squatter = await takePort({ host });
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
    const squatter = await takePort({ host }, silentAboutLinks);
    await page.getByRole('button', { name: 'Glow' }).click();
    await page.getByText('another program answers at its address').waitFor();
    expectQuestionsAlone(squatter);
    expectNothingOf({ secrets: [wallet.address] }, squatter);
  });
});

const evil: Answers = (_request, response) => {
  response
    .writeHead(200, { 'Content-Type': 'text/html', 'Cross-Origin-Opener-Policy': 'same-origin' })
    .end('<h1>Agent Treasury</h1>');
};

describe.skipIf(!hidesKeychain)('on a real network (Linux alone), a page', () => {
  let mainnet: Mainnet;
  beforeAll(async () => {
    mainnet = await openMainnet();
  });
  afterAll(() => mainnet.close());

  it('of such a program reads a session that is over, and gets no other from the tabs of the host that comes back', async () => {
    const dataDir = folder();
    const first = await openInside(dataDir, mainnet.args, { dashboard: rendererFolder });
    const { page, close } = await openDashboard(first, '/', { fetchesAhead: true });
    closers.push(close);
    const url = first.host.url;
    const signedIn = await page.context().newPage();
    const session = await keptIn(page);
    expect(await isOpen(first.client, session)).toBe(true);
    // The host ends and the program takes the port before the tab notices: the tab is loaded again.
    await page.evaluate(`stop()`);
    const offline = page.context();
    await first.close();
    const squatter = await squat(portOf(url), evil);
    await page.goto(`${url}/evil`);
    await page.evaluate(
      `sessionStorage.setItem('treasury-session', JSON.stringify({ session: '${session}' }))`,
    );
    await squatter.close();

    const second = await openInside(dataDir, [...mainnet.args, '--port', `${portOf(url)}`], {
      dashboard: rendererFolder,
    });
    closers.push(second.close);
    expect(await isOpen(second.client, await keptIn(page))).toBe(false);

    // The owner signs in again in another tab, while that page is still open.
    await signedIn.goto(second.host.newLoginUrl() ?? '');
    await inside(signedIn).waitFor();
    const got = await page.evaluate(`(async () => {
      const heard = [];
      const channel = new BroadcastChannel('treasury-tabs');
      channel.onmessage = ({ data }) => heard.push(JSON.stringify(data));
      const html = await (await fetch('/', { cache: 'no-store' })).text();
      const ticket = /name="ticket" content="([^"]*)"/.exec(html)?.[1] ?? 'none';
      const page = 'A'.repeat(22);
      channel.postMessage({ says: 'let-me-in', page });
      while (!heard.some((one) => one.includes('you-are-in'))) await new Promise((go) => setTimeout(go, 50));
      const tries = [];
      for (const given of [page, page + '.' + 'A'.repeat(43), ticket])
        tries.push((await fetch('/v1/session', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ page: given }),
        })).status);
      return { heard, ticket, tries };
    })()`);
    expect(got).toMatchObject({ ticket: '', tries: [401, 401, 400] });
    expect(JSON.stringify(got)).not.toMatch(/own_|knw_/);
    // A real page, opened by hand, is let in.
    const third = await offline.newPage();
    await third.goto(url);
    await inside(third).waitFor();
    expect((await openSession(second.client, { page: await ticketIn(second.client) })).status).toBe(401);
  });

  it('of a link sends no passphrase to a host that did not send the page', async () => {
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
