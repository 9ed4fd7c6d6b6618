// Purchases of programs that something cuts. SIGKILL of a treasury, and of the program that buys, at each step of a purchase:
// the next answer comes from the same payment, by the seller, the treasury's own history and the chain. And programs on
// another machine buy through the owner's tunnel, and each buys once: also when the tunnel answers in place of the treasury,
// which has paid.
import { once } from 'node:events';
import { createServer, request as ask, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useFolders } from '../harness/folders.ts';
import { freePort } from '../harness/programs/free-port.ts';
import { kinds } from '../harness/kinds.ts';
import { openRich, receivedBySeller, sandbox, seller, useSeller } from '../harness/chain/seller-treasury.ts';
import { deploy, spawnTreasury, type Process, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { hasTunnel, openTunnel, withTunnel, type Tunnel } from '../harness/programs/tunnel.ts';
import {
  installClient,
  installWheel,
  javaScript,
  killPrograms,
  outcome,
  pythonMissing,
  pythonWays,
  startProgram,
  storyIn,
  type Program,
  type Runtime,
} from './programs.ts';

const folder = useFolders();
useSeller();
let host: Process;
let dataDir: string;
let client: Awaited<ReturnType<typeof installClient>>;
let n = 0;
const open = async (): Promise<void> => {
  const { rpcUrl } = sandbox;
  const own = ['--rpc', rpcUrl, '--ws', rpcUrl.replace('http', 'ws'), '--allow-origin', seller.url];
  host = await spawnTreasury(dataDir, own);
};
beforeAll(async () => {
  dataDir = folder();
  await open();
  await host.client.post('/v1/sandbox/faucet', { amount: '100' });
  client = await installClient();
}, 600_000);
afterAll(async () => {
  await host.kill('SIGTERM');
  client.remove();
});
afterEach(killPrograms);

const killHost = async (): Promise<void> => {
  await host.kill('SIGKILL');
  await open();
};

const nothing = (): void => {};
const price = 10_000;
const buy = (program: Program): void =>
  program.ask({ url: `${seller.url}/data`, method: 'POST', headers: {}, body: 'a' });

const steps = kinds(['settled', 'asked', 'shown', 'half an answer']);
const runtimes = kinds<[string, string | null, () => Promise<Runtime>]>([
  ['JavaScript', null, () => javaScript('this Node', client.driver)],
  ['Python', pythonMissing(), async () => storyIn(await installWheel(), 'urllib')],
]);

describe.each(runtimes)('%s', (_, missed, runtime) => {
  let agent: TestAgent;
  let config: string;
  beforeEach(async ({ skip }) => {
    skip(missed !== null, missed ?? undefined);
    n += 1;
    agent = await deploy(host.client, `buyer-${n}`, { allocate: '1.00' });
    config = folder();
  });

  const start = async (): Promise<Program> =>
    startProgram(await runtime(), {
      HOME: config,
      XDG_CONFIG_HOME: config,
      TREASURY_DATA: dataDir,
      TREASURY_AGENT_ID: agent.agentId,
      TREASURY_API_KEY: agent.key,
    });

  /** Buys, and kills at a step, once. */
  const buyKilling = async (step: string, kill: (program: Program) => Promise<unknown>) => {
    const before = await receivedBySeller();
    let killed = nothing;
    const atStep = new Promise<void>((resolve) => (killed = resolve));
    seller.asking = () => {
      if (step === 'asked') killed();
    };
    seller.behave = async ({ settle, response }) => {
      if (step === 'shown') killed();
      await settle();
      if (step === 'settled') {
        killed();
        // A program that has its answer forgets its key: it is killed before there is one.
        await isOver;
      }
      response.writeHead(200, { 'content-length': '10' }).write('first');
      if (step === 'half an answer') {
        killed();
        // The other half comes once the kill is over.
        await isOver;
      }
      response.end('-last');
    };
    let over = nothing;
    const isOver = new Promise<void>((resolve) => (over = resolve));
    const first = await start();
    buy(first);
    await atStep;
    await kill(first);
    over();
    const program = await restarted(first);
    let said = await outcome(program);
    // An answer that broke off is asked for again.
    if (said.failed !== undefined) {
      buy(program);
      said = await outcome(program);
    }
    expect(said).toMatchObject({ status: 200, text: 'first-last' });
    expect((await receivedBySeller()) - before).toBe(price);
    expect(new Set(seller.shown.map(({ transaction }) => transaction)).size).toBe(1);
    const { body } = await host.client.as(agent.key).get(`/v1/agents/${agent.agentId}/spend-history`);
    expect(body['payments'].map(({ id }: { id: string }) => id)).toEqual([said.payment]);
  };
  const dead = new WeakSet<Program>();
  const end = async (program: Program): Promise<void> => {
    dead.add(program);
    await program.kill();
  };
  /** A program that was killed is started again and asks the same. */
  const restarted = async (program: Program): Promise<Program> => {
    if (!dead.has(program)) return program;
    const next = await start();
    buy(next);
    return next;
  };

  const victims = kinds<[string, (program: Program) => Promise<unknown>]>([
    ['program and treasury', (program) => Promise.all([end(program), killHost()])],
    ['program', end],
    ['treasury', killHost],
  ]);

  describe.each(victims)('killed: %s', (_name, kill) => {
    it.each(steps)('pays once when that comes once the seller was %s', (step) => buyKilling(step, kill));
  });
});

type Instead = (response: ServerResponse) => void;
const inJson =
  (status: number, body: object): Instead =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
/** What comes of an answer on its way: a tunnel may speak in its place, and also in JSON with a code of its own. */
const answers: Readonly<Record<string, Instead | null>> = {
  arrives: null,
  'is lost': (response) => void response.destroy(),
  'is a page of the tunnel': (response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>'),
  'is a number of the tunnel': inJson(502, { code: 502, message: 'Bad gateway' }),
  'is a word of the tunnel': inJson(530, { code: 'tunnel_error', error: 'No origin' }),
};

describe.skipIf(!hasTunnel)(withTunnel('a program behind the tunnel'), () => {
  let tunnel: Tunnel;
  let treasury: Treasury;
  let agent: TestAgent;
  let relay: Server;
  let wheel: string;
  /** By what the relay replaces the treasury's next answer to a request that pays. */
  let instead: Instead | null = null;

  beforeAll(async () => {
    tunnel = await openTunnel(await freePort());
    treasury = await openRich({ args: ['--public-url', tunnel.url] });
    const { port } = new URL(treasury.host.url);
    relay = createServer((request, response) => {
      const { method, url, headers } = request;
      const onward = ask({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
        if (instead !== null && url?.includes('/proxy/') === true) {
          const replace = instead;
          instead = null;
          answer.resume().once('end', () => replace(response));
        } else {
          response.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
          answer.pipe(response);
        }
      });
      request.pipe(onward);
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    await tunnel.forwardTo((relay.address() as AddressInfo).port);
    agent = await deploy(treasury.client, 'far', { allocate: '5.00' });
    wheel = await installWheel();
  }, 600_000);
  afterAll(async () => {
    await treasury.close();
    await tunnel.close();
    relay.close();
  });

  const start = ({ env: own = {}, ...runtime }: Runtime) =>
    startProgram(
      { ...runtime, env: {} },
      {
        ...own,
        ...tunnel.env,
        PYTHONPATH: [own['PYTHONPATH'] ?? '', tunnel.env.PYTHONPATH].join(delimiter),
        HOME: folder(),
        TREASURY_URL: tunnel.url,
        TREASURY_OWNER: treasury.host.owner,
        TREASURY_AGENT_ID: agent.agentId,
        TREASURY_API_KEY: agent.key,
      },
    );
  const buyers = ['Node', ...kinds(pythonWays)] as const;
  const runtimeOf = (name: (typeof buyers)[number]): Promise<Runtime> | Runtime =>
    name === 'Node' ? javaScript('this Node', client.driver) : storyIn(wheel, name);

  for (const name of buyers)
    describe.skipIf(name !== 'Node' && pythonMissing() !== null)(name, () => {
      it.each(Object.keys(answers))('buys once, where its answer %s', async (kind) => {
        const before = await receivedBySeller();
        instead = answers[kind] ?? null;
        const program = await start(await runtimeOf(name));
        program.ask({ url: `${seller.url}/data`, method: 'POST', headers: {}, body: `${name} ${kind}` });
        const said = await outcome(program);
        expect(said).toMatchObject({ status: 200 });
        expect(said.payment).toMatch(/^pay_/);
        expect(instead).toBe(null);
        expect((await receivedBySeller()) - before).toBe(price);
      });
    });
});
