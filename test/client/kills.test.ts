// SIGKILL of a treasury, and of the program that buys, at each step of a purchase: the next answer comes from the same
// payment, by the seller, the treasury's own history and the chain.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useFolders } from '../harness/folders.ts';
import { kinds } from '../harness/kinds.ts';
import { receivedBySeller, sandbox, seller, useSeller } from '../harness/seller-treasury.ts';
import { deploy, spawnTreasury, type Process, type TestAgent } from '../harness/treasury.ts';
import {
  installClient,
  installWheel,
  javaScript,
  killPrograms,
  outcome,
  pythonMissing,
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
const ask = (program: Program): void =>
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
    ask(first);
    await atStep;
    await kill(first);
    over();
    const program = await restarted(first);
    let said = await outcome(program);
    // An answer that broke off is asked for again.
    if (said.failed !== undefined) {
      ask(program);
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
    ask(next);
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
