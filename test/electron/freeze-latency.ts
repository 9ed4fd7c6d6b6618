// The time from the click on "Freeze everything" in the tray to the first refused payment, for the test and the bench.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createClient, type Client } from '../harness/http-client.ts';
import { removeFolder, temporaryFolder, until } from '../harness/treasury.ts';
import { launchDesktop, type DesktopProcess } from './desktop-process.ts';
import type { Probed, Target } from './probe.ts';

export const queued = 200;

const path = '/v1/agents/busy/pay';
const body = { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' };
interface Setting {
  desktop: DesktopProcess;
  agent: Client;
  probe: Worker;
  close(): Promise<void>;
}

const open = async (): Promise<Setting> => {
  const dataDir = temporaryFolder();
  const desktop = await launchDesktop(dataDir);
  await desktop.desktop('setUp', { network: 'sandbox' });
  const { url, owner } = JSON.parse(readFileSync(join(dataDir, 'runtime', 'endpoint.json'), 'utf8'));
  const deployed = await desktop.ask('deploy', {
    body: { agentId: 'busy', dailyBudget: '100000.00', maxPerPayment: '1.00' },
  });
  await desktop.ask('allocate', { params: { agentId: 'busy' }, body: { amount: '900.00' } });
  const key = deployed.mcpConfig.env['TREASURY_API_KEY'] ?? '';
  const agent = createClient(url, owner, key, queued);
  const target: Target = { url, owner, key, path, body };
  const probe = new Worker(new URL('probe.ts', import.meta.url), { workerData: target });
  return {
    desktop,
    agent,
    probe,
    async close() {
      await probe.terminate();
      agent.close();
      desktop.signal('SIGKILL');
      await desktop.exited;
      removeFolder(dataDir);
    },
  };
};

const now = (): number => performance.timeOrigin + performance.now();

/** The moment of the click: with the whole queue still unpaid, or while it is being paid. */
const moments = ['before the first is paid', 'after the first is paid'] as const;

const freezeOnce = async (
  { desktop, agent, probe }: Setting,
  moment: (typeof moments)[number],
): Promise<number> => {
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
  const odd = [...statuses, status].filter((one) => ![200, 202, 403].includes(one));
  if (odd.length > 0) throw new Error(`a payment was answered ${odd.join(', ')}`);
  // A probe that came before the freeze was committed proves nothing.
  return Math.min(status === 403 ? at : Infinity, firstRefusal) - clickedAt;
};

const unfreeze = async ({ desktop }: Setting): Promise<void> => {
  await desktop.do('answer', { response: 1 });
  await desktop.ask('unfreeze');
  await until('the menu offers to freeze', async () =>
    (await desktop.do('tray')).menu.includes('Freeze everything'),
  );
};

/** The milliseconds of each round; every second one clicks while payments are being made. */
export const measureFreeze = async (rounds: number): Promise<number[]> => {
  const setting = await open();
  try {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      times.push(await freezeOnce(setting, moments[round % 2] ?? moments[0]));
      await unfreeze(setting);
    }
    return times;
  } finally {
    await setting.close();
  }
};
