// A bridge's life: a treasury that does not run, that restarts, that another program impersonates; the oldest Node. And
// several bridges, under which the host is killed and started again in the middle of their calls: no call hangs, a failed
// call says why and may be repeated, and the chain, in a process of its own, counts the payments.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleProgram } from '../../build/executables.ts';
import { linkedAgentFile } from '../../server/client/linked-agent.ts';
import { formatUsdc, usdc } from '../../server/money.ts';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import { useFolders } from '../harness/folders.ts';
import { freePort } from '../harness/programs/free-port.ts';
import { kinds } from '../harness/kinds.ts';
import { oldestNode } from '../harness/programs/oldest-node.ts';
import {
  deploy,
  instantly,
  openSandbox,
  openTreasury,
  removeFolder,
  spawnTreasury,
  temporaryFolder,
  until,
  type Process,
  type TestAgent,
  type TestSandbox,
  type Treasury,
} from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';
import { envOf, openBridge, script, type Bridge, type Called } from './bridge.ts';
import { debitsOf } from './chain.ts';

const newFolder = useFolders();

const notRunningText = 'The treasury is not running; ask its owner to start it.';
/** Beside the folder in which it was looked for. */
const notRunning = expect.stringContaining(notRunningText);

describe('a bridge without its treasury', () => {
  const env = {
    TREASURY_OWNER: '11111111111111111111111111111111',
    TREASURY_AGENT_ID: 'scout',
    TREASURY_API_KEY: 'atk_none',
  };

  it('says that it is not running, or that it does not answer', async () => {
    const silent = createTcpServer(() => undefined);
    // All at once, since each waits for the treasury a while.
    const saying = [
      [{}, notRunning],
      [{ TREASURY_URL: `http://127.0.0.1:${await freePort()}` }, notRunning],
      [{ TREASURY_URL: await listening(silent) }, expect.stringContaining('did not answer in time')],
    ].map(async ([more, error]) => {
      const bridge = await openBridge({ ...env, TREASURY_DATA: newFolder(), ...more });
      const calls = [
        bridge.call('check_balance'),
        bridge.call('kill_agent', { agentId: 'scout' }),
        bridge.call('pay', { service: 'a', amount: '1.00' }),
      ];
      for (const called of await Promise.all(calls))
        expect(called).toMatchObject({ isError: true, content: { code: 'halted', error } });
      await bridge.close();
    });
    await Promise.all(saying);
    silent.close();
  });

  it('sends no key to any place but this machine', async () => {
    const bridge = await openBridge({ ...env, TREASURY_URL: 'http://treasury.example:4402' });
    expect(await bridge.call('check_balance')).toMatchObject({
      isError: true,
      content: { code: 'bad_request' },
    });
    await bridge.close();
  });

  it('says how to link when nothing says which agent it is for', async () => {
    const bridge = await openBridge({
      XDG_CONFIG_HOME: newFolder(),
      HOME: newFolder(),
      TREASURY_DATA: newFolder(),
    });
    const called = await bridge.call('check_balance');
    expect(called).toMatchObject({ isError: true, content: { code: 'unauthorized' } });
    expect(called.text).toContain('treasury link');
    await bridge.close();
  });
});

interface Squatter {
  url: string;
  seen: IncomingHttpHeaders[];
  close(): void;
}

/** Another program on the port; with `relay` it gets the proof from the real host. */
const openSquatter = async (relay: string | null): Promise<Squatter> => {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    seen.push(request.headers);
    const answer =
      relay === null
        ? JSON.stringify({ ok: true, proof: 'a'.repeat(64) })
        : await (await fetch(new URL(request.url ?? '/', relay))).text();
    response.setHeader('content-type', 'application/json').end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () => void server.close(() => undefined).closeAllConnections(),
  };
};

describe('beside a running treasury', () => {
  let treasury: Treasury;
  beforeAll(async () => {
    treasury = await openTreasury();
  });
  afterAll(() => treasury.close());

  it.each([false, true])(
    'shows its API key to no squatter on the port, relaying the proof: %s',
    async (relays) => {
      const agent = await deploy(treasury.client, `wary-${String(relays)}`, { allocate: null });
      const squatter = await openSquatter(relays ? treasury.host.url : null);
      const { TREASURY_DATA: _, ...env } = envOf(agent, treasury);
      const bridge = await openBridge({ ...env, TREASURY_URL: squatter.url });
      for (const tool of ['check_balance', 'get_policy', 'list_models'])
        expect(await bridge.call(tool)).toMatchObject({ isError: true, content: { code: 'unauthorized' } });
      expect(squatter.seen.length).toBeGreaterThanOrEqual(3);
      expect(squatter.seen.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
      expect(JSON.stringify(squatter.seen)).not.toContain(agent.key);
      await bridge.close();
      squatter.close();
    },
  );

  it('acts for the agent that this machine was linked to', async () => {
    const agent = await deploy(treasury.client, 'linked', { allocate: '1.00' });
    const home = newFolder();
    const env = { XDG_CONFIG_HOME: home, HOME: home, APPDATA: home, TREASURY_DATA: treasury.dataDir };
    const file =
      process.platform === 'linux' ? linkedAgentFile(env) : linkedAgentFile({ ...process.env, ...env });
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      JSON.stringify({
        agentId: 'linked',
        walletAddress: agent.wallet,
        apiKey: agent.key,
        linkedAt: new Date().toISOString(),
      }),
      { mode: 0o600 },
    );
    const bridge = await openBridge(env);
    expect((await bridge.call('check_balance')).content).toMatchObject({
      agentId: 'linked',
      balance: '1.00',
      treasuryAddress: treasury.owner,
    });
    await bridge.close();
  });

  // One call for each form of arguments: story.test.ts checks every tool's answer against its schema, with three
  // clients.
  const forms = kinds<[method: string, args: readonly string[]]>([
    ['tools/call', ['--tool-name', 'paid_fetch', '--tool-arg', 'url=URL/sandbox/weather?city=Lima']],
    ['tools/list', []],
    ['tools/call', ['--tool-name', 'check_balance']],
    ['tools/call', ['--tool-name', 'set_policy', '--tool-arg', 'maxPerPayment="0.90"']],
    ['tools/call', ['--tool-name', 'pay', '--tool-arg', 'service=sandbox-weather', 'amount="0.01"']],
  ]);
  it.each(forms)('answers the inspector: %s %j', async (method, args) => {
    seen ??= await deploy(treasury.client, 'seen', { allocate: '1.00' });
    const filled = args.map((text) => text.replace('=URL', `=${treasury.host.url}`));
    const env = Object.entries(envOf(seen, treasury)).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const all = [inspector, '--cli', process.execPath, script, ...env, '--method', method, ...filled];
    const { stdout } = await promisify(execFile)(process.execPath, all, {
      env: { ...process.env, HOME: inspectorHome },
      timeout: 60_000,
    });
    const answer = JSON.parse(stdout) as { tools?: unknown[]; isError?: boolean; content?: unknown[] };
    if (method === 'tools/list') expect(answer.tools).toHaveLength(20);
    else {
      expect(answer.isError ?? false, stdout).toBe(false);
      expect(answer.content).toMatchObject([{ type: 'text', text: expect.stringContaining('{"') }]);
    }
    expect(stdout).not.toContain(seen.key);
  });

  it('is one file that runs on the machine’s own Node and needs no package', async () => {
    expect(oldestNode).toBeDefined();
    const agent = await deploy(treasury.client, 'bundled', { allocate: '1.00' });
    const folder = newFolder();
    const bundle = await bundleProgram('server/mcp/main.ts', 'bridge', folder);
    expect(readdirSync(folder)).toEqual(['bridge.cjs']);
    const bridge = await openBridge(envOf(agent, treasury), 'modern', {
      command: oldestNode ?? '',
      args: [bundle],
    });
    const url = `${treasury.host.url}/sandbox/weather?city=Cairo`;
    expect((await bridge.call('paid_fetch', { url })).content).toMatchObject({ status: 200 });
    expect((await bridge.call('check_balance')).content['balance']).toBe('0.99');
    const asked = await bridge.call('deploy_agent', {
      agentId: 'next',
      dailyBudget: '1',
      maxPerPayment: '1',
    });
    expect(asked.content['mcpConfig']).toMatchObject({ command: oldestNode, args: [bundle] });
    await bridge.close();
  });
});

let seen: Awaited<ReturnType<typeof deploy>> | undefined;
const inspectorHome = newFolder();
const inspector = fileURLToPath(
  new URL(
    '../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
    import.meta.url,
  ),
);

it('loses no payment when its host is killed, and finds the next host on another port', async () => {
  const dataDir = newFolder();
  // A seller that answers through the current host, on whatever port that is.
  const shop = createServer(async ({ url = '/', headers: { 'x-payment': receipt } }, response) => {
    const headers = typeof receipt === 'string' ? { 'x-payment': receipt } : {};
    const answer = await fetch(new URL(url, host.ready.url), { headers });
    response.writeHead(answer.status).end(await answer.text());
  });
  const origin = await listening(shop);
  const slow = ['--confirm-ms', '4000', '--finalize-ms', '0', '--allow-origin', origin];
  let host = await spawnTreasury(dataDir, slow);
  const before = host.ready.url;
  const agent = await deploy(host.client, 'unlucky', { allocate: '1.00' });
  const bridge = await openBridge(envOf(agent, { owner: host.ready.owner, dataDir }));
  const pay = () => bridge.call('pay', { service: 'sandbox-weather', amount: '0.25' });
  const fetchPaid = () => bridge.call('paid_fetch', { url: `${origin}/sandbox/weather?city=Rome` });
  const [paying, fetching] = [pay(), fetchPaid()];
  const payments = async () =>
    (await host.client.get('/v1/agents/unlucky/spend-history')).body['payments'] as { id: string }[];
  await until('the payments', async () => (await payments()).length === 2);
  host.client.close();
  await host.kill('SIGKILL');
  host = await spawnTreasury(dataDir, [...instantly, '--allow-origin', origin]);
  expect(host.ready.url).not.toBe(before);
  // The bridge goes on with the same payments, and so does an agent that repeats a call whose answer it reports as lost.
  const [paid, bought] = [await answered(paying, pay), await answered(fetching, fetchPaid)];
  expect([paid, bought].map(({ content }) => content['status'])).toEqual(['confirmed', 200]);
  const first = (await payments()).map(({ id }) => id).toSorted();
  expect(first).toEqual(idsOf(paid, bought));
  // The first payments are answered: the same arguments now mean others.
  const next = idsOf(await pay(), await fetchPaid());
  expect(first.filter((id) => next.includes(id))).toEqual([]);
  // A request that is never repeated goes out on a connection that was checked before.
  expect((await bridge.call('request_budget', { dailyBudget: '9.00' })).content).toMatchObject({
    status: 'awaiting_approval',
  });
  await bridge.close();
  shop.close();
  shop.closeAllConnections();
  host.client.close();
  await host.kill('SIGTERM');
  const reopened = await openTreasury({ dataDir });
  expect(clean(await audit(reopened.host))).toEqual(allWell);
  await reopened.close();
});

/** Asks again where the answer is lost. */
const answered = async (asked: Promise<Called>, ask: () => Promise<Called>): Promise<Called> => {
  const called = await asked;
  return called.content['details']?.lost === true ? ask() : called;
};

/** The payments of a `pay` and of a `paid_fetch`. */
const idsOf = (paid: Called, bought: Called): string[] =>
  [String(paid.content['paymentId']), String(bought.content['payment'].paymentId)].toSorted();

const listening = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

describe('several bridges', () => {
  const bridges = tries(2, 6);
  const kills = tries(1, 3);

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

    const ask = async (
      number: number,
      tool: string,
      input: Record<string, unknown> = {},
    ): Promise<Called> => {
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
    const done = calls.length;
    await until('calls to come through', () => calls.length > done + 4 * bridges);
    end.abort();
    // Every call ends.
    await Promise.all(living);

    const errors = calls.filter(({ isError }) => isError);
    await annotate(`${calls.length} calls, ${errors.length} failed`);
    const words = errors.map(({ content }) => String(content['error']));
    // A payment that was reserved and not signed is cancelled once the host is back.
    expect(words.filter((text) => text !== notRunningText && !text.includes('interrupted'))).toEqual([]);
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
});
