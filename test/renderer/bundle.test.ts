// The size of the dashboard's JavaScript.
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rendererFolder } from '../../build/build.ts';
import { openPage, openServed, useBrowser } from '../harness/browser.ts';
import { live } from '../harness/life.ts';
import type { Treasury } from '../harness/treasury.ts';

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
  it('sends at most 240 kB of JavaScript for its first screen and 430 kB in all, gzipped', async () => {
    const all = readdirSync(join(rendererFolder, 'assets'))
      .filter((name) => name.endsWith('.js'))
      .map((name) => `assets/${name}`);
    const seen = await openPage(treasury.host.url);
    const first: string[] = [];
    const listen = (request: Request): void => {
      const { pathname } = new URL(request.url());
      if (pathname.endsWith('.js')) first.push(pathname.slice(1));
    };
    seen.page.on('request', listen);
    await seen.page.goto(treasury.host.newLoginUrl() ?? '');
    await seen.page.getByRole('heading', { name: 'Overview' }).waitFor();
    await seen.page.getByRole('table', { name: 'Spent by day' }).waitFor({ state: 'attached' });
    seen.page.off('request', listen);
    await seen.close();
    console.log(`first screen ${kB(sum(first))} kB, all ${kB(sum(all))} kB`);
    expect(sum(first)).toBeGreaterThan(100_000);
    expect(sum(first)).toBeLessThan(240_000);
    expect(sum(all)).toBeLessThan(430_000);
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
