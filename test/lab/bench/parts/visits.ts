// First visits of the dashboard in a real Chromium, timed by the page itself.
import type { Page } from 'playwright-core';
import { launch } from '../../../harness/browser.ts';

const slow = { bytesPerSecond: 60_000, latencyMs: 300 };

export interface Visit {
  frame: number;
  overview: number;
}

/** The frame is done once something is painted; the overview, once its last figures are there. */
const visit = async (page: Page, url: string): Promise<Visit> => {
  await page.goto(url, { waitUntil: 'commit' });
  await page.getByRole('heading', { name: 'Overview' }).waitFor({ timeout: 60_000 });
  await page.getByRole('table', { name: 'Spent by day' }).waitFor({ state: 'attached', timeout: 60_000 });
  return page.evaluate(`({
    frame: performance.getEntriesByName('first-contentful-paint')[0].startTime,
    overview: performance.now(),
  })`);
};

export const visitMany = async (url: () => string, isSlow: boolean, count: number): Promise<Visit[]> => {
  const browser = await launch();
  const seen: Visit[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    // A context of its own has an empty cache, as at a first visit.
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    const page = await context.newPage();
    if (isSlow) {
      const network = await context.newCDPSession(page);
      await network.send('Network.enable');
      await network.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: slow.latencyMs,
        downloadThroughput: slow.bytesPerSecond,
        uploadThroughput: slow.bytesPerSecond,
      });
    }
    seen.push(await visit(page, url()));
    await context.close();
  }
  await browser.close();
  return seen;
};
