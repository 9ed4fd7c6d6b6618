// The resources of a process: memory after a collection, descriptors, sockets, handles, and its use of a processor.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../harness/treasury.ts';

/** The parts of resident memory: mapped files, the allocator's heap, and the rest. */
interface Kinds {
  file: number;
  allocator: number;
  anonymous: number;
}

export interface Sample {
  seconds: number;
  rssMb: number;
  kindsMb: Kinds;
  heapMb: number;
  /** Including memory that V8 keeps in reserve. */
  heapTotalMb: number;
  externalMb: number;
  descriptors: number;
  sockets: number;
  handles: Record<string, number>;
}

export interface Probe {
  /** The environment for the observed process. */
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
      const { rss, heapTotal, heapUsed, external, handles } = JSON.parse(readFileSync(file, 'utf8')) as {
        rss: number;
        heapTotal: number;
        heapUsed: number;
        external: number;
        handles: Record<string, number>;
      };
      const open = descriptorsOf(pid);
      return {
        seconds: Math.round((performance.now() - begin) / 1_000),
        rssMb: megabytes(rss),
        kindsMb: kindsOf(pid),
        heapMb: megabytes(heapUsed),
        heapTotalMb: megabytes(heapTotal),
        externalMb: megabytes(external),
        descriptors: open.length,
        sockets: open.filter((to) => to.startsWith('socket:')).length,
        handles,
      };
    },
  };
};

const megabytes = (bytes: number): number => Math.round(bytes / 104_857.6) / 10;

/** proc_pid_smaps(5): a line of each mapping, with its inode and name, then its figures in kB. */
const kindsOf = (pid: number): Kinds => {
  const kinds: Kinds = { file: 0, allocator: 0, anonymous: 0 };
  let kind: keyof Kinds = 'anonymous';
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const [, inode, name] = /^[\da-f]+-[\da-f]+ \S+ \S+ \S+ (\d+) *(.*)$/.exec(line) ?? [];
    if (inode !== undefined) kind = name === '[heap]' ? 'allocator' : inode === '0' ? 'anonymous' : 'file';
    else if (line.startsWith('Rss:')) kinds[kind] += Number.parseInt(line.slice(4), 10) * 1_024;
  }
  return {
    file: megabytes(kinds.file),
    allocator: megabytes(kinds.allocator),
    anonymous: megabytes(kinds.anonymous),
  };
};

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
