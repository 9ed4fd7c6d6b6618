// What a process holds: memory after a collection, descriptors, sockets, handles; and what it uses of a processor.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../harness/treasury.ts';

export interface Sample {
  seconds: number;
  rssMb: number;
  heapMb: number;
  externalMb: number;
  descriptors: number;
  sockets: number;
  handles: Record<string, number>;
}

export interface Probe {
  /** For the process that is to be looked into. */
  env: NodeJS.ProcessEnv;
  sample(pid: number): Promise<Sample>;
}

export const createProbe = (folder: string): Probe => {
  const file = join(folder, 'memory.json');
  const begin = performance.now();
  const script = fileURLToPath(new URL('memory-probe.mjs', import.meta.url));
  return {
    env: { NODE_OPTIONS: `--expose-gc --import=${script}`, MEMORY_PROBE: file },
    async sample(pid) {
      rmSync(file, { force: true });
      process.kill(pid, 'SIGUSR2');
      await until('the process to say what it holds', () => existsSync(file));
      const { rss, heapUsed, external, handles } = JSON.parse(readFileSync(file, 'utf8')) as {
        rss: number;
        heapUsed: number;
        external: number;
        handles: Record<string, number>;
      };
      const open = descriptorsOf(pid);
      return {
        seconds: Math.round((performance.now() - begin) / 1_000),
        rssMb: megabytes(rss),
        heapMb: megabytes(heapUsed),
        externalMb: megabytes(external),
        descriptors: open.length,
        sockets: open.filter((to) => to.startsWith('socket:')).length,
        handles,
      };
    },
  };
};

const megabytes = (bytes: number): number => Math.round(bytes / 104_857.6) / 10;

const descriptorsOf = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${name}`)];
    } catch {
      return [];
    }
  });

const ticksPerSecond = () => Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

const ticksOf = (pid: number): number => {
  // After the name, which may hold anything: user and system time are the 12th and 13th field.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
};

/** Percent of one processor over `ms`. */
export const processorOf = async (pid: number, ms: number): Promise<number> => {
  const before = ticksOf(pid);
  await wait(ms);
  return Number((((ticksOf(pid) - before) / ticksPerSecond() / ms) * 100_000).toFixed(3));
};
