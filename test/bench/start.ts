// (e) How long a second start takes, and what the process holds in memory.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { inPairs, median, type Work } from './measure.ts';
import { figure, ratioOf, type Result } from './report.ts';
import { residentMb } from './resident.ts';
import { fundedAgents, pay, type Stage } from './stage.ts';
import type { Process } from '../harness/treasury.ts';

const starts = 5;
const startMs = 1_000;
const crowd = 16;
const payments = 10_000;
const settleMs = 1_000;

interface Kind {
  name: string;
  what: string;
  args: readonly string[];
  mostMb: number;
}

export const benchStart = async (stage: Stage, rounds: number): Promise<Result[]> => {
  const { rpcUrl } = await stage.sandbox();
  const withRpc = { name: 'rpc', what: 'with --rpc', args: ['--rpc', rpcUrl], mostMb: 150 };
  const withSandbox = { name: 'sandbox', what: 'with the sandbox inside', args: [], mostMb: 220 };
  const bareMb = await bareMemory(stage);
  const results: Result[] = [];
  for (const kind of [withSandbox, withRpc]) {
    const folder = stage.folder();
    const first = await stage.treasury(folder, kind.args);
    if (kind === withRpc) await fundedAgents(first, crowd);
    await first.kill('SIGTERM');
    stage.say(`e: ${starts * rounds} starts ${kind.what}`);
    const running: Process[] = [];
    const memory: number[] = [];
    const again: Work = async () => {
      running.push(await stage.treasury(folder, kind.args));
    };
    const times = await inPairs(starts * rounds, again, async () => {
      
    });
  }
  return results;
};
