// The page's policy in a real Chromium: the desktop's own handler serves the built page, and a hostile script in it
// tries to get around the policy.
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt, rendererFolder } from '../../build/build.ts';
import { createPageHandler } from '../../electron/app-scheme.ts';
import { attackFrom, expectedViolations } from './hostile-page.ts';

const executablePath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(folder, name)))
  .find((path) => existsSync(path));

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const title = 'a hostile page under the desktop’s policy';

describe.skipIf(executablePath === undefined)(
  executablePath === undefined ? `${title} (skipped: there is no Chromium)` : title,
  () => {
    let browser: Browser;
    let page: Page;
    let server: Server;
    let other: Server;
    /** The requests that reached another server of this machine, which would answer. */
    const reached: string[] = [];

    beforeAll(async () => {
      if (!existsSync(join(rendererFolder, 'index.html'))) await ensureBuilt('dashboard');
      const handle = createPageHandler(rendererFolder);
      server = createServer((request, response) => {
        const answer = async (): Promise<void> => {
          const served = await handle(
            new Request(`app://treasury${request.url ?? '/'}`, { method: request.method ?? '' }),
          );
          response.writeHead(served.status, Object.fromEntries(served.headers));
          response.end(Buffer.from(await served.arrayBuffer()));
        };
        void answer();
      }).listen(0, '127.0.0.1');
      other = createServer((request, response) => {
        reached.push(request.url ?? '');
        response.writeHead(200, { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'text/event-stream' });
        response.end('data: here\n\n');
      }).listen(0, '127.0.0.1');
      await Promise.all([once(server, 'listening'), once(other, 'listening')]);
      browser = await chromium.launch({
        ...(executablePath === undefined ? {} : { executablePath }),
        chromiumSandbox: process.getuid?.() !== 0,
      });
      page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${portOf(server)}/index.html`);
    });
    afterAll(async () => {
      await browser.close();
      server.close();
      other.close();
    });

    it('succeeds with nothing that the policy can stop', async () => {
      const { successes, violations, attempts } = await attackFrom(page, portOf(other));
      expect(attempts).toBe(23);
      // Electron has to refuse the window that a browser opens: test/electron/real.test.ts.
      expect(successes.filter((name) => name !== 'window.open')).toEqual([]);
      expect(violations).toEqual(expect.arrayContaining(expectedViolations));
      expect(reached).toEqual([]);
    });
  },
);
