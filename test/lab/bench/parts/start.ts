// (e) The time of a second start, and the memory of the process afterwards.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { timed } from '../measure.ts';
import { figure, ratioOf, type Result } from '../report.ts';
import { residentMb } from '../resident.ts';
import { fundedAgents, pay, type Stage } from '../stage.ts';
import type { Process } from '../../../harness/treasury.ts';

const starts = 5;
const mostMs = 1_000;
const crowd = 16;
const payments = 10_000;
const mostGrowthMb = 40;
const settleMs = 1_000;

interface Kind {
  name: string;
  what: string;
  args: readonly string[];
  mostMb: number;
}

export const benchStart = async (stage: Stage, rounds: number): Promise<Result[]> => {
  const { rpcUrl } = await stage.sandbox();
  const inside = { name: 'sandbox', what: 'sandbox inside', args: [], mostMb: 220 };
  const outside = { name: 'rpc', what: '--rpc', args: ['--rpc', rpcUrl], mostMb: 150 };
  const bareMb = await bareMemory(stage);
  const first = await benchKind(stage, inside, bareMb, starts * rounds);
  await first.treasury.kill('SIGTERM');
  const second = await benchKind(stage, outside, bareMb, starts * rounds);
  return [...first.results, ...second.results, await benchGrowth(stage, second.treasury)];
};

/** Ends with the last treasury running. */
const benchKind = async (
  stage: Stage,
  { name, what, args, mostMb }: Kind,
  bareMb: number | null,
  count: number,
) => {
  const folder = stage.folder();
  let treasury = await stage.treasury(folder, args);
  stage.say(`e: ${count} starts, ${what}`);
  const [ready, bare, memory]: [number[], number[], number[]] = [[], [], []];
  for (let start = 0; start < count; start += 1) {
    await treasury.kill('SIGTERM');
    bare.push(await timed(() => ended(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }))));
    ready.push(await timed(async () => (treasury = await stage.treasury(folder, args))));
    await wait(settleMs);
    memory.push(residentMb(treasury.ready.pid) ?? Number.NaN);
  }
  const [ours, floor] = [figure('ms', ready), figure('ms', bare)];
  const results: Result[] = [
    {
      id: `e.start-${name}`,
      what: `second start to the ready line, ${what}`,
      ours,
      floor,
      ratio: ratioOf(ours.p50, floor.p50),
      target: `at most ${mostMs} ms`,
      met: ours.p50 <= mostMs,
    },
    memoryResult({ id: `e.memory-${name}`, what: `resident memory then, ${what}`, mostMb }, memory, bareMb),
  ];
  return { treasury, results };
};

const memoryResult = (
  { id, what, mostMb }: { id: string; what: string; mostMb: number },
  mb: number[],
  floorMb: number | null,
): Result => {
  if (floorMb === null) return { id, what, ...unknown, target: 'skipped: Windows does not tell' };
  const [ours, floor] = [figure('MB', mb), figure('MB', [floorMb])];
  const target = `at most ${mostMb} MB`;
  return { id, what, ours, floor, ratio: ratioOf(ours.p50, floor.p50), target, met: ours.p50 <= mostMb };
};

const unknown = { ours: null, floor: null, ratio: null, met: null };

/** The same process before and after: the floor of this row is its memory at the start. */
const benchGrowth = async (stage: Stage, treasury: Process): Promise<Result> => {
  const id = 'e.growth';
  const what = `resident memory after ${payments} payments, --rpc`;
  const { pid } = treasury.ready;
  const before = residentMb(pid);
  if (before === null) return { id, what, ...unknown, target: 'skipped: Windows does not tell' };
  stage.say(`e: ${payments} payments of ${crowd} agents`);
  const agents = await fundedAgents(treasury, crowd);
  let begun = 0;
  const payOn = async (work: () => Promise<unknown>): Promise<void> => {
    while (begun < payments) {
      begun += 1;
      await work();
    }
  };
  await Promise.all(agents.map((agent) => payOn(pay(agent))));
  await wait(settleMs);
  const after = residentMb(pid) ?? before;
  return {
    id,
    what,
    ours: figure('MB', [after]),
    floor: figure('MB', [before]),
    ratio: ratioOf(after, before),
    target: `at most ${mostGrowthMb} MB more`,
    met: after - before <= mostGrowthMb,
  };
};

/** The memory of an idle Node process. */
const bareMemory = async (stage: Stage): Promise<number | null> => {
  const idle = 'process.stdout.write("up"); setInterval(() => {}, 1000)';
  const child = spawn(process.execPath, ['-e', idle], { stdio: ['ignore', 'pipe', 'ignore'] });
  await stage.keep(Promise.resolve(child), (it) => it.kill('SIGKILL'));
  await once(child.stdout, 'data');
  await wait(settleMs);
  const mb = residentMb(child.pid ?? 0);
  child.kill('SIGKILL');
  return mb;
};

const ended = (child: ChildProcess): Promise<unknown> => once(child, 'exit');
