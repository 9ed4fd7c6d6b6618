// The size of the dashboard's JavaScript.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rendererFolder } from '../../build/build.ts';
import { openPage, openServed, useBrowser } from '../harness/browser.ts';
import { live } from '../harness/life.ts';
import type { Treasury } from '../harness/treasury.ts';

useBrowser();

const gzipped = (file: string): number =>
  gzipSync(readFileSync(join(rendererFolder, file)), { level: 9 }).length;
const sum = (files: readonly string[]): number => files.reduce((total, file) => total + gzipped(file), 0);
const drawsCharts = (file: string): boolean =>
  readFileSync(join(rendererFolder, file), 'utf8').includes('recharts-');
const kB = (bytes: number): number => Math.round(bytes / 100) / 10;

let treasury: Treasury;
beforeAll(async () => {
  treasury = await openServed();
  await live(treasury);
});
afterAll(() => treasury.close());

describe('the dashboard', () => {
  it('sends at most 260 kB of JavaScript for its first screen without charts, 450 kB in all, gzipped', async () => {
    const all = readdirSync(join(rendererFolder, 'assets'))
      .filter((name) => name.endsWith('.js'))
      .map((name) => `assets/${name}`);
    const seen = await openPage(treasury.host.url);
    const loaded: string[] = [];
    seen.page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.endsWith('.js')) loaded.push(pathname.slice(1));
    });
    await seen.page.goto(treasury.host.newLoginUrl() ?? '');
    await seen.page.getByRole('heading', { name: 'Overview' }).waitFor();
    await seen.page.locator('.recharts-surface').first().waitFor();
    await seen.close();
    // The code of charts is fetched separately, once the screen is drawn.
    const charts = loaded.filter(drawsCharts);
    const first = loaded.filter((file) => !charts.includes(file));
    const html = readFileSync(join(rendererFolder, 'index.html'), 'utf8');
    console.log(`first screen ${kB(sum(first))} kB, charts ${kB(sum(charts))} kB, all ${kB(sum(all))} kB`);
    expect(sum(charts)).toBeGreaterThan(50_000);
    for (const file of charts) expect(html).not.toContain(file);
    expect(sum(first)).toBeLessThan(260_000);
    expect(sum(all)).toBeLessThan(450_000);
  });

  it('serves no source map, no other origin and no inline script', () => {
    const html = readFileSync(join(rendererFolder, 'index.html'), 'utf8');
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/);
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(readdirSync(join(rendererFolder, 'assets')).filter((name) => name.endsWith('.map'))).toEqual([]);
  });
});
