// The figure that the product owes: from the click on "Freeze everything" in the tray to the first refused payment.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { createClient, type Client } from '../harness/http-client.ts';
import { removeFolder, temporaryFolder, until } from '../harness/treasury.ts';
import { launchDesktop, type DesktopProcess } from './desktop-process.ts';
import type { Probed, Target } from './probe.ts';

const queued = 200;
const mostMs = 100;
const rounds = 100;
/** Whatever else runs on the machine only adds to the time: the best of so many series counts. */
const mostSeries = 1;

const path = '/v1/agents/busy/pay';
const body = { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' };
let dataDir = '';
let desktop: DesktopProcess;
let agent: Client;
let probe: Worker;

const open = async (): Promise<void> => {
  dataDir = temporaryFolder();
  desktop = await launchDesktop(dataDir);
  await desktop.desktop('setUp', { network: 'sandbox' });
  const { url, owner } = JSON.parse(readFileSync(join(dataDir, 'runtime', 'endpoint.json'), 'utf8'));
  const deployed = await desktop.ask('deploy', {
    body: { agentId: 'busy', dailyBudget: '100000.00', maxPerPayment: '1.00' },
  });
  await desktop.ask('allocate', { params: { agentId: 'busy' }, body: { amount: '900.00' } });
  const key = deployed.mcpConfig.env['TREASURY_API_KEY'] ?? '';
  agent = createClient(url, owner, key, queued);
  const target: Target = { url, owner, key, path, body };
  probe = new Worker(new URL('probe.ts', import.meta.url), { workerData: target });
};

const close = async (): Promise<void> => {
  await probe.terminate();
  agent.close();
  desktop.signal('SIGKILL');
  await desktop.exited;
  removeFolder(dataDir);
};

const now = (): number => performance.timeOrigin + performance.now();

/** When the click comes: with all of the queue before it, or in the thick of paying it. */
const moments = ['before the first is paid', 'after the first is paid'] as const;

const freezeOnce = async (moment: (typeof moments)[number]): Promise<number> => {
  let firstRefusal = Infinity;
  const paid = Promise.withResolvers<void>();
  const pay = async (): Promise<number> => {
    const { status } = await agent.post(path, body);
    if (status === 200) paid.resolve();
    else if (status === 403) firstRefusal = Math.min(firstRefusal, now());
    return status;
  };
  const payments = Array.from({ length: queued }, pay);
  if (moment === 'after the first is paid') await paid.promise;
  const clickedAt = now();
  const clicked = desktop.do('click', ['Freeze everything']);
  const probed = once(probe, 'message') as Promise<[Probed]>;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  probe.postMessage('pay');
  const [{ status, at }] = await probed;
  const statuses = await Promise.all(payments);
  await clicked;
  expect([...statuses, status].filter((one) => ![200, 202, 403].includes(one))).toEqual([]);
  // A probe that came before the freeze was committed says nothing.
  return Math.min(status === 403 ? at : Infinity, firstRefusal) - clickedAt;
};

const unfreeze = async (): Promise<void> => {
  await desktop.do('answer', { response: 1 });
  await desktop.ask('unfreeze');
  await until('the menu offers to freeze', async () =>
    (await desktop.do('tray')).menu.includes('Freeze everything'),
  );
};

const percentile = (times: readonly number[], share: number): number => {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Infinity;
};

const measureSeries = async (): Promise<number> => {
  const all: number[] = [];
  for (const moment of moments) {
    const times: number[] = [];
    for (let round = 0; round < rounds / moments.length; round += 1) {
      times.push(await freezeOnce(moment));
      await unfreeze();
    }
    const figures = [0.5, 0.9, 1].map((share) => `p${share * 100} ${percentile(times, share).toFixed(1)} ms`);
    process.stdout.write(
      `freeze to first refusal, ${queued} queued, click ${moment}: ${figures.join(', ')}\n`,
    );
    all.push(...times);
  }
  const p99 = percentile(all, 0.99);
  process.stdout.write(`all ${all.length} rounds: p99 ${p99.toFixed(1)} ms\n`);
  return p99;
};

it(
  `refuses payments within ${mostMs} ms of the click, with ${queued} queued`,
  { timeout: 400_000 },
  async () => {
    let best = Infinity;
    for (let series = 0; series < mostSeries && best >= mostMs; series += 1) {
      await open();
      try {
        best = Math.min(best, await measureSeries());
      } finally {
        await close();
      }
    }
    expect(best).toBeLessThan(mostMs);
  },
);
