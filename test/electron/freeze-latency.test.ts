// The figure that the product owes: from the click on "Freeze everything" in the tray to the first refused payment.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient, type Answer, type Client } from '../harness/http-client.ts';
import { removeFolder, temporaryFolder, until } from '../harness/treasury.ts';
import { launchDesktop, type DesktopProcess } from './desktop-process.ts';

const rounds = 100;
const queued = 200;
const mostMs = 100;

const dataDir = temporaryFolder();
let desktop: DesktopProcess;
let agent: Client;

beforeAll(async () => {
  desktop = await launchDesktop(dataDir);
  await desktop.desktop('setUp', { network: 'sandbox' });
  const { url, owner } = JSON.parse(readFileSync(join(dataDir, 'runtime', 'endpoint.json'), 'utf8'));
  const deployed = await desktop.ask('deploy', {
    body: { agentId: 'busy', dailyBudget: '100000.00', maxPerPayment: '1.00' },
  });
  await desktop.ask('allocate', { params: { agentId: 'busy' }, body: { amount: '500.00' } });
  agent = createClient(url, owner, deployed.mcpConfig.env['TREASURY_API_KEY'] ?? '', queued);
});
afterAll(async () => {
  agent.close();
  desktop.signal('SIGKILL');
  await desktop.exited;
  removeFolder(dataDir);
});

interface Round {
  ms: number;
  /** Payments that were under way when the click came, by status. */
  statuses: number[];
}

/** Clicks when the first of the queue was paid, so that the engine is in the thick of it. */
const freezeOnce = async (): Promise<Round> => {
  let clickedAt = Infinity;
  let firstRefusal = Infinity;
  const first = Promise.withResolvers<void>();
  const send = async (): Promise<Answer> => {
    const answer = await agent.post('/v1/agents/busy/pay', {
      service: 'sandbox-weather',
      amount: '0.01',
      currency: 'USDC',
    });
    if (answer.status === 200) first.resolve();
    else if (answer.status === 403) firstRefusal = Math.min(firstRefusal, performance.now());
    return answer;
  };
  const payments = Array.from({ length: queued }, send);
  await first.promise;
  clickedAt = performance.now();
  const clicked = desktop.do('click', ['Freeze everything']);
  const probe = send();
  const answers = await Promise.all([...payments, probe]);
  await clicked;
  return { ms: firstRefusal - clickedAt, statuses: answers.map(({ status }) => status) };
};

const unfreeze = async (): Promise<void> => {
  await desktop.do('answer', { response: 1 });
  await desktop.ask('unfreeze');
  await until('the menu offers to freeze', async () =>
    (await desktop.do('tray')).menu.includes('Freeze everything'),
  );
};

it(`refuses payments within ${mostMs} ms of the click, with ${queued} queued`, async () => {
  const times: number[] = [];
  let caught = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { ms, statuses } = await freezeOnce();
    times.push(ms);
    caught += statuses.filter((status) => status === 403).length;
    expect(statuses.filter((status) => ![200, 202, 403, 502].includes(status))).toEqual([]);
    await unfreeze();
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? Infinity;
  const figures = [0.5, 0.9, 0.99, 1].map((share) => `p${share * 100} ${at(share).toFixed(1)} ms`);
  process.stdout.write(
    `freeze from the tray to the first refusal, ${queued} queued, ${rounds} rounds: ${figures.join(', ')}; ` +
      `${(caught / rounds).toFixed(0)} refused a round\n`,
  );
  expect(at(0.99)).toBeLessThan(mostMs);
});
