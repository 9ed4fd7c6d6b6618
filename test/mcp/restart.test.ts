// The host is killed and started again under several bridges in the middle of their calls. No call hangs, a failed
// call says why and may be repeated, and the chain, in a process of its own, counts the payments.
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatUsdc, usdc } from '../../server/money.ts';
import { allWell, audit, clean } from '../harness/audit.ts';
import {
  deploy,
  openTreasury,
  removeFolder,
  openSandbox,
  spawnTreasury,
  temporaryFolder,
  until,
  type Process,
  type TestSandbox,
  type TestAgent,
} from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';
import { envOf, openBridge, type Bridge, type Called } from './bridge.ts';
import { debitsOf } from './chain.ts';

const bridges = tries(2, 6);
const kills = tries(1, 3);
const notRunning = 'The treasury is not running; ask its owner to start it.';

const dataDir = temporaryFolder();
// Slow enough for kills between sending and confirmation.
const slowly = ['--confirm-ms', '300', '--finalize-ms', '600'];
let sandbox: TestSandbox;
let host: Process;
let args: string[] = [];
const agents: TestAgent[] = [];
const open: Bridge[] = [];
beforeAll(async () => {
  sandbox = await openSandbox(slowly);
  args = ['--rpc', sandbox.rpcUrl];
  host = await spawnTreasury(dataDir, args);
  await host.client.post('/v1/sandbox/faucet', { amount: '100' });
  for (let number = 1; number <= bridges; number += 1) {
    const agent = await deploy(host.client, `restless-${number}`, { allocate: '5.00' });
    agents.push(agent);
    open.push(await openBridge(envOf(agent, { owner: host.ready.owner, dataDir })));
  }
});
afterAll(async () => {
  await Promise.all(open.map((bridge) => bridge.close()));
  host.client.close();
  await host.kill('SIGKILL');
  await sandbox.close();
  removeFolder(dataDir);
});

it(`hangs no call and pays nothing twice while the host is killed ${kills} times`, async ({ annotate }) => {
  const calls: Called[] = [];
  const end = new AbortController();

  const ask = async (number: number, tool: string, input: Record<string, unknown> = {}): Promise<Called> => {
    const called = await (open[number] as Bridge).call(tool, input);
    calls.push(called);
    return called;
  };

  /** As a stubborn agent: repeats the same call until its outcome is final. */
  const payOnce = async (number: number, amount: string): Promise<void> => {
    for (;;) {
      const { content } = await ask(number, 'pay', { service: 'sandbox-weather', amount });
      if (content['status'] === 'confirmed') return;
      await wait(50);
    }
  };

  const wanted = new Map<string, string[]>();
  const live = async (number: number): Promise<void> => {
    const amounts: string[] = [];
    wanted.set(agents[number]?.wallet ?? '', amounts);
    // Each amount is used once, and so identifies on the chain the call that was paid.
    for (let units = 1n; !end.signal.aborted; units += 1n) {
      const amount = formatUsdc(usdc(units));
      amounts.push(amount);
      await Promise.all([payOnce(number, amount), ask(number, 'check_balance')]);
    }
  };

  const living = agents.map((_, number) => live(number));
  const failed = (): number => calls.filter(({ isError }) => isError).length;
  for (let kill = 0; kill < kills; kill += 1) {
    const [before, failures] = [calls.length, failed()];
    await until('calls to come through', () => calls.length > before + 4 * bridges);
    host.client.close();
    await host.kill('SIGKILL');
    // The host is down: a call that ends now ends by its own limit.
    await until('every bridge to notice', () => failed() >= failures + bridges);
    host = await spawnTreasury(dataDir, args);
  }
  const answered = calls.length;
  await until('calls to come through', () => calls.length > answered + 4 * bridges);
  end.abort();
  // Every call ends.
  await Promise.all(living);

  const errors = calls.filter(({ isError }) => isError);
  await annotate(`${calls.length} calls, ${errors.length} failed`);
  const words = errors.map(({ content }) => String(content['error']));
  // A payment that was reserved and not signed is cancelled once the host is back.
  expect(words.filter((text) => text !== notRunning && !text.includes('interrupted'))).toEqual([]);
  expect(errors.length).toBeGreaterThanOrEqual(kills * bridges);

  for (const [wallet, amounts] of wanted) {
    const paid = (await debitsOf(sandbox.rpcUrl, wallet)).map(({ amount }) => formatUsdc(usdc(amount)));
    expect(paid.toSorted()).toEqual(amounts.toSorted());
  }
  host.client.close();
  await host.kill('SIGTERM');
  const reopened = await openTreasury({ dataDir, args });
  const { store } = reopened.host.engine.context;
  await until('all to be final', () => store.transfers.open().length === 0);
  expect(clean(await audit(reopened.host))).toEqual(allWell);
  await reopened.close();
});
