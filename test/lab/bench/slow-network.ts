// (k) The dashboard over a slow network, such as a tunnel to a machine far away: 60 kB a second and 300 ms for each
// request. The floor is the same page on this machine's own network.
import type { Page } from 'playwright-core';
import { ensureBuilt, rendererFolder } from '../../../build/build.ts';
import { launch } from '../../harness/browser.ts';
import { live } from '../../harness/life.ts';
import { instantly, openTreasury } from '../../harness/treasury.ts';
import { figure, ratioOf, type Result } from './report.ts';
import type { Stage } from './stage.ts';

const slow = { bytesPerSecond: 60_000, latencyMs: 300 };
const usualVisits = 3;
const frameMs = 1_500;
const overviewMs = 8_000;

interface Visit {
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

const visitMany = async (url: () => string, isSlow: boolean, count: number): Promise<Visit[]> => {
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

interface Measured {
  ours: readonly Visit[];
  floor: readonly Visit[];
}

const result = (name: keyof Visit, what: string, { ours, floor }: Measured, mostMs: number): Result => {
  const here = figure(
    'ms',
    ours.map((one) => one[name]),
  );
  const there = figure(
    'ms',
    floor.map((one) => one[name]),
  );
  return {
    id: `k.${name}`,
    what,
    ours: here,
    floor: there,
    ratio: ratioOf(here.p50, there.p50),
    target: `at most ${mostMs} ms`,
    met: here.p50 <= mostMs,
  };
};

export const benchSlowNetwork = async (stage: Stage, rounds: number): Promise<Result[]> => {
  await ensureBuilt('dashboard');
  const treasury = await stage.keep(
    openTreasury({ args: instantly, dashboard: rendererFolder }),
    ({ close }) => close(),
  );
  await live(treasury);
  const url = () => treasury.host.newLoginUrl() ?? '';
  stage.say(`k: ${usualVisits * rounds} visits at 60 kB/s and 300 ms, and as many without`);
  const ours = await visitMany(url, true, usualVisits * rounds);
  const floor = await visitMany(url, false, usualVisits * rounds);
  const measured = { ours, floor };
  return [
    result('frame', 'dashboard, first visit at 60 kB/s and 300 ms: its frame', measured, frameMs),
    result('overview', 'the same: the overview in full', measured, overviewMs),
  ];
};
