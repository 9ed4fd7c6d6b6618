// The first screen: the size of its JavaScript, the days of its chart, and a payment that still settles.
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rendererFolder } from '../../build/build.ts';
import { goTo, openDashboard, openPage, openServed, useBrowser } from '../harness/browser.ts';
import { openFaultyTreasury, type FaultyTreasury } from '../harness/chain/faulty-treasury.ts';
import { live } from '../harness/life.ts';
import { deploy, until, type Treasury } from '../harness/treasury.ts';

useBrowser();

const gzipped = (file: string): number =>
  gzipSync(readFileSync(join(rendererFolder, file)), { level: 9 }).length;
const sum = (files: readonly string[]): number => files.reduce((total, file) => total + gzipped(file), 0);
const kB = (bytes: number): number => Math.round(bytes / 100) / 10;

let treasury: Treasury;
beforeAll(async () => {
  treasury = await openServed();
  await live(treasury);
});
afterAll(() => treasury.close());

describe('the dashboard', () => {
  it('sends at most 208 kB of JavaScript for its first screen and 440 kB in all, gzipped', async () => {
    const all = readdirSync(join(rendererFolder, 'assets'))
      .filter((name) => name.endsWith('.js'))
      .map((name) => `assets/${name}`);
    // The cards of what waits for the owner come after the first screen.
    const quiet = await openServed();
    await (await deploy(quiet.client, 'scout')).pay('0.01');
    const seen = await openPage(quiet.host.url);
    const first: string[] = [];
    const listen = (request: Request): void => {
      const { pathname } = new URL(request.url());
      if (pathname.endsWith('.js')) first.push(pathname.slice(1));
    };
    seen.page.on('request', listen);
    await seen.page.goto(quiet.host.newLoginUrl() ?? '');
    await seen.page.getByRole('heading', { name: 'Overview' }).waitFor();
    await seen.page.getByRole('table', { name: 'Spent by day' }).waitFor({ state: 'attached' });
    seen.page.off('request', listen);
    await seen.close();
    await quiet.close();
    console.log(`first screen ${kB(sum(first))} kB, all ${kB(sum(all))} kB`);
    expect(sum(first)).toBeGreaterThan(100_000);
    expect(sum(first)).toBeLessThan(208_000);
    expect(sum(all)).toBeLessThan(440_000);
  });

  it('serves no source map, no other origin and no inline script, and names the hash of each script', () => {
    const html = readFileSync(join(rendererFolder, 'index.html'), 'utf8');
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)(?! type="importmap">)/);
    const scripts = readdirSync(join(rendererFolder, 'assets')).filter((name) => name.endsWith('.js'));
    const [, map = '{}'] = /<script type="importmap">([^<]*)</.exec(html) ?? [];
    const hashes = Object.fromEntries(
      scripts.map((name) => [
        `./assets/${name}`,
        `sha256-${hash('sha256', readFileSync(join(rendererFolder, 'assets', name)), 'base64')}`,
      ]),
    );
    expect(JSON.parse(map)).toEqual({ integrity: hashes });
    expect(html.match(/(src|href)="\.\/assets\/[^"]+" integrity="sha256-/g)?.length).toBe(
      html.match(/(src|href)="\.\/assets\//g)?.length,
    );
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(readdirSync(join(rendererFolder, 'assets')).filter((name) => name.endsWith('.map'))).toEqual([]);
  });
});

/** Fourteen hours before UTC, or after. */
const timezoneId = 'Pacific/Kiritimati';

it('the chart has the days of the owner’s time zone, far from that of the browser', async () => {
  await treasury.client.post('/v1/treasury/time-zone', { timeZone: timezoneId });
  const { page, close } = await openDashboard(treasury);
  const asked = page.waitForResponse((response) => response.url().includes('/v1/spending'));
  await page.reload();
  const response = await asked;
  expect(new URL(response.url()).searchParams.get('zone')).toBe('owner');
  expect((await treasury.client.get('/v1/spending?zone=owner')).body['zone']).toBe(timezoneId);
  const today = new Date().toLocaleDateString('en-CA', { timeZone: timezoneId });
  await page
    .getByRole('table', { name: /Spent by day/ })
    .getByRole('row', { name: new RegExp(today) })
    .waitFor({ state: 'attached' });
  await close();
});

describe('while a payment settles', () => {
  let faulty: FaultyTreasury;
  beforeAll(async () => {
    faulty = await openFaultyTreasury({ dashboard: rendererFolder });
    expect((await faulty.agent.pay('1.25')).status).toBe(200);
    await until('it to be final', () => faulty.host.engine.context.store.transfers.open().length === 0);
    // The chain is asked to take the next one, says that it has, and never shows it.
    faulty.proxy.fault = ({ id, method, params }, forward) =>
      method === 'sendTransaction'
        ? { jsonrpc: '2.0', id, result: String(params[0]).slice(0, 88) }
        : forward();
    const { status } = await faulty.agent.pay('0.405', { prefer: 'wait=0' });
    expect(status).toBe(202);
  });
  afterAll(() => faulty.close());

  it('all sums count it, and say how much is still settling', async () => {
    const { page, close } = await openDashboard(faulty);
    const region = (name: string) => page.getByRole('region', { name });
    await region('Recent activity').getByText('Settling').waitFor();
    await region('Spent by day').getByText('0.405 USDC is still settling').waitFor();
    // By day, by agent and by service, in 24 hours and in the budget.
    expect(await region('Spent by day').innerText()).toContain('1.655 USDC in 30 days');
    for (const name of ['By agent', 'By service', 'Budgets'])
      expect([name, await region(name).innerText()]).toEqual([name, expect.stringContaining('1.655')]);
    expect(await page.getByRole('table', { name: /Spent by day: 1.655 USDC/ }).count()).toBe(1);
    expect(await region('Recent activity').innerText()).toContain('−0.405');
    const month = page.locator('.mantine-Card-root').filter({ hasText: 'Spent this month' });
    expect(await month.innerText()).toContain('1.655');
    await goTo(page, '/agents/faulty');
    await page.getByText('2 payments, 0.405 USDC still settling').waitFor();
    for (const label of ['Spent in 24 hours', 'Spent in total']) {
      const card = page.locator('.mantine-Card-root').filter({ hasText: label });
      expect([label, await card.innerText()]).toEqual([label, expect.stringContaining('1.655')]);
    }
    await goTo(page, '/activity');
    const rows = page.getByRole('row').filter({ hasText: 'Sandbox Weather' });
    expect(await rows.first().innerText()).toContain('Settling');
    expect(await rows.nth(1).innerText()).toContain('Paid');
    await close();
  });
});
