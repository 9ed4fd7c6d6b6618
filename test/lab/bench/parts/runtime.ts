// (r) The sandbox's runtime in TypeScript against LiteSVM: transfers a second, time to start, and memory.
import { inPairs } from '../measure.ts';
import { figure, ratioOf, type Result } from '../report.ts';
import { residentMb } from '../resident.ts';
import type { Stage } from '../stage.ts';

const leastPerSecond = 2_000;
const mostMoreMb = 40;
const transfers = 4_000;
const starts = 7;

type Name = 'script' | 'litesvm';

export const benchRuntime = async (stage: Stage, rounds: number): Promise<Result[]> => [
  await benchTransfers(stage, 3 * rounds),
  ...(await benchStarts(stage, starts * rounds)),
];

/** The runtimes alone, each in a process of its own; a transfer is the treasury's: checked, behind a memo. */
const benchTransfers = async (stage: Stage, count: number): Promise<Result> => {
  stage.say(`r: ${transfers} transfers, ${count} times on each runtime`);
  const perSecond: Record<Name, number[]> = { script: [], litesvm: [] };
  const run = (name: Name) => async (): Promise<void> => {
    const line = await stage.program('floors/bare-runtime.ts', [name, String(transfers)]);
    perSecond[name].push(Number(line));
  };
  await inPairs(count, run('script'), run('litesvm'));
  const [ours, floor] = [figure('payments/s', perSecond.script), figure('payments/s', perSecond.litesvm)];
  return {
    id: 'r.transfers',
    what: 'transfers a second, the runtime alone',
    ours,
    floor,
    ratio: ratioOf(ours.p50, floor.p50),
    target: `at least ${leastPerSecond}`,
    met: ours.p50 >= leastPerSecond,
  };
};

const benchStarts = async (stage: Stage, count: number): Promise<Result[]> => {
  stage.say(`r: ${count} starts of the sandbox on each runtime`);
  const memory: Record<Name, number[]> = { script: [], litesvm: [] };
  const start = (name: Name) => async (): Promise<void> => {
    const sandbox = await stage.sandbox(['--runtime', name]);
    memory[name].push(residentMb(sandbox.pid) ?? Number.NaN);
    await sandbox.kill('SIGTERM');
  };
  const times = await inPairs(count, start('script'), start('litesvm'));
  const [ours, floor] = [figure('ms', times.ours), figure('ms', times.floor)];
  const [ourMb, floorMb] = [figure('MB', memory.script), figure('MB', memory.litesvm)];
  return [
    {
      id: 'r.start',
      what: 'a new sandbox, from its process to the end of it',
      ours,
      floor,
      ratio: ratioOf(ours.p50, floor.p50),
      target: 'not slower than LiteSVM',
      met: ours.p50 <= floor.p50,
    },
    {
      id: 'r.memory',
      what: 'resident memory when it is ready',
      ours: ourMb,
      floor: floorMb,
      ratio: ratioOf(ourMb.p50, floorMb.p50),
      target: `at most ${mostMoreMb} MB more`,
      met: ourMb.p50 - floorMb.p50 <= mostMoreMb,
    },
  ];
};
