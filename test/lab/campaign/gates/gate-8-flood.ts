// Part of gate 8: the effect of agents that request as much as they can on the owner's stop, on memory, and on another
// agent.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { quantile } from '../../bench/measure.ts';
import { residentMb } from '../../bench/resident.ts';
import type { Stage } from '../../bench/stage.ts';
import { rpcCall, type TestAgent } from '../../../harness/treasury.ts';
import type { Flood } from './flooder.ts';
import type { Sheet } from '../gate.ts';
import { createWorld, deployIn, fund, settle, type Life, type World } from '../world.ts';

const rich = { dailyBudget: '100000', maxPerPayment: '1', allocate: '200' };

const start = async (stage: Stage, script: string, argument: string) => {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [file, argument], { stdio: ['ignore', 'pipe', 'inherit'] });
  await stage.keep(Promise.resolve(child), (it) => it.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const line = async (): Promise<string> => String((await lines.next()).value);
  return { line, child };
};

interface Ground {
  world: World;
  life: Life;
  /** Begins a flood. Returns a function that ends it and returns the answers to its agents. */
  flood(agents: readonly TestAgent[], atOnce: number): Promise<() => Promise<string>>;
}

const open = async ({ stage }: Sheet): Promise<Ground> => {
  let seller = '';
  const world = await createWorld(stage, {
    async rpcArgs(chain) {
      const { line } = await start(stage, 'flood-seller.ts', chain);
      seller = await line();
      return ['--rpc', chain, '--allow-origin', seller];
    },
  });
  const life = await world.life();
  await fund(life, '10000');
  const { url, owner } = life.host.ready;
  return {
    world,
    life,
    async flood(agents, atOnce) {
      const plain = agents.map(({ agentId, key }) => ({ agentId, key }));
      const what: Flood = { url, owner, agents: plain, seller, atOnce };
      const { line, child } = await start(stage, 'flooder.ts', JSON.stringify(what));
      await line();
      return async () => {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        const said = await line();
        await ended;
        return said;
      };
    },
  };
};

const rounded = (ms: number): number => Math.round(ms * 10) / 10;

/** The highest value while `work` went on. */
const peakOf = async (pid: number, work: () => Promise<void>): Promise<number | null> => {
  let peak = residentMb(pid);
  const timer = setInterval(() => {
    peak = Math.max(peak ?? 0, residentMb(pid) ?? 0);
  }, 50);
  await work().finally(() => clearInterval(timer));
  return peak;
};

export const largeAnswers = async (sheet: Sheet): Promise<void> => {
  const { short, say, exactly, atMost, none, tell, skip } = sheet;
  const count = short ? 10 : 200;
  const { world, life, flood } = await open(sheet);
  const agent = await deployIn(life, 'flood', { ...rich, allocate: '2000' });
  const { pid } = life.host.ready;
  const rest = residentMb(pid);
  const times: number[] = [];
  const failed: string[] = [];
  const end = await flood([agent], 400);
  const peak = await peakOf(pid, async () => {
    for (let n = 0; n < count; n += 1) {
      await wait(short ? 300 : 500);
      const begin = performance.now();
      const frozen = await life.client.post('/v1/freeze');
      times.push(performance.now() - begin);
      const lifted = await life.client.post('/v1/unfreeze');
      if (frozen.status !== 200 || lifted.status !== 200) failed.push(`${frozen.text} ${lifted.text}`);
      if (n % 50 === 49) say(`${n + 1} freezes`);
    }
  });
  const said = await end();
  const p99 = rounded(quantile(times, 0.99));
  // A payment that a freeze kept from its seller is proven expired once its blockhash has expired.
  await rpcCall(world.rpcUrl, 'sandbox_warp', [400]);
  const { faults } = await settle(world);
  exactly('freezes under 400 fetches of 1 MiB at once', times.length - failed.length, count);
  none('freezes that failed', failed);
  // Durations mean little on a machine that runs other tests at the same time.
  if (short) tell('p99 of those freezes, ms', p99);
  else atMost('p99 of those freezes, ms', p99, 100, ' ms');
  if (rest === null || peak === null) skip('memory under it', 'cannot be asked on this system');
  else atMost('memory under it, above rest, MB', Math.round(peak - rest), 150, ' MB');
  none('differences between treasury and chain, after the flood', faults);
  tell('what the flood was answered', said);
};

const pays = async (agent: TestAgent, count: number, failed: string[]): Promise<number> => {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const begin = performance.now();
    const { status, text } = await agent.pay('0.01');
    times.push(performance.now() - begin);
    if (status !== 200) failed.push(text);
  }
  return quantile(times, 0.5);
};

export const hostileNeighbours = async (sheet: Sheet): Promise<void> => {
  const { short, exactly, atMost, none, tell } = sheet;
  const count = short ? 15 : 100;
  const { world, life, flood } = await open(sheet);
  const honest = await deployIn(life, 'honest', rich);
  const hostile: TestAgent[] = [];
  for (let n = 0; n < 16; n += 1) hostile.push(await deployIn(life, `hostile-${n}`, rich));
  const failed: string[] = [];
  await pays(honest, count, failed);
  const alone = await pays(honest, count, failed);
  const end = await flood(hostile, 25);
  await wait(1_000);
  const beside = await pays(honest, count, failed);
  const said = await end();
  await rpcCall(world.rpcUrl, 'sandbox_warp', [400]);
  const { faults } = await settle(world);
  exactly(
    'payments of an honest agent, alone and beside 16 hostile ones',
    3 * count - failed.length,
    3 * count,
  );
  none('payments of the honest agent that failed', failed);
  const ratio = Math.round((beside / alone) * 100) / 100;
  if (short) tell('how much slower they are beside them', ratio);
  else atMost('how much slower they are beside them', ratio, 3, ' x');
  tell('p50 alone and beside them, ms', `${rounded(alone)}, ${rounded(beside)}`);
  none('differences between treasury and chain, after 16 hostile agents', faults);
  tell('what the hostile agents were answered', said);
};
