// The kill points of gate 3: each call that each operation makes, measured on an undisturbed host.
import { readFileSync } from 'node:fs';
import { shuffled, type Sheet } from '../gate.ts';
import { poolThreads, type Victim } from './host-process.ts';
import { operations, type OperationName } from './operations.ts';
import { askAll, requestsOf } from './recovery.ts';
import { openEstate, type Scene } from './scene.ts';
import { attach } from './strace.ts';

/** The system calls by which bytes reach the disk or the network. */
export const calls = 'pwrite64,fsync,fdatasync,ftruncate,unlink,rename,write,sendto,sendmsg,writev,connect';
export const points = 20;
/** The most calls of one thread of the pool: which of the four does the work is up to chance. */
const namesOfPool = 6;

/** Pictures are written in libuv's pool; the main thread does everything else. */
type Threads = 'main' | 'pool';

/** One call: strace counts each name separately. */
export interface Strike {
  name: string;
  /** From 1. */
  nth: number;
}

export interface Point extends Strike {
  operation: OperationName;
  threads: Threads;
  /** The second kill, during the following start; null for none. */
  start: Strike | null;
}

export interface Course {
  operation: OperationName;
  threads: Threads;
  /** The names of a thread's calls in their order; for the pool, as many as one thread may make. */
  calls: readonly string[];
}

export const threadsOf = ({ pid }: Victim, threads: Threads): number[] =>
  threads === 'main' ? [pid] : poolThreads(pid);

/** Counts the calls of each operation, and of a start. */
export const measure = async (scene: Scene, log: string): Promise<{ courses: Course[]; start: Strike[] }> => {
  const { estate, victim } = await openEstate(scene);
  const courses: Course[] = [];
  // Once beforehand, so that connections and code are warm.
  for (const round of ['warm', 'main', 'pool'] as const) {
    for (const operation of Object.keys(operations) as OperationName[]) {
      if (round === 'pool' && operation !== 'generate') continue;
      const threads = round === 'pool' ? 'pool' : 'main';
      const tracer = await attach(threadsOf(victim, threads), [`trace=${calls}`], ['-s', '0', '-o', log]);
      await askAll({ scene, estate, victim }, requestsOf(operation, `measure ${round} ${operation}`));
      await victim.quiet(30_000);
      await tracer.detach();
      const names = namesOf(log);
      if (round !== 'warm')
        courses.push({ operation, threads, calls: round === 'main' ? names : names.slice(0, namesOfPool) });
    }
  }
  await victim.end('SIGKILL');
  const again = await estate.start(['strace', '-f', '-s', '0', '-o', log, '-e', `trace=${calls}`]);
  const ofMain = readFileSync(log, 'latin1')
    .split('\n')
    .filter((line) => line.startsWith(`${again.pid} `));
  const start = strikesOf(ofMain.flatMap(nameOf));
  await again.end('SIGKILL');
  estate.remove();
  return { courses, start };
};

const nameOf = (line: string): string[] => /^(?:\d+ +)?(\w+)\(/.exec(line)?.slice(1, 2) ?? [];
const namesOf = (file: string): string[] => readFileSync(file, 'latin1').split('\n').flatMap(nameOf);

const strikesOf = (names: readonly string[]): Strike[] =>
  names.map((name, index) => ({
    name,
    nth: names.slice(0, index + 1).filter((other) => other === name).length,
  }));

/** The arguments of strace by which the host dies right before this call. */
export const injectOf = ({ name, nth }: Strike): string => `inject=${name}:signal=SIGKILL:when=${nth}`;

/**
 * Every call of every operation; then again in another order, every third with a second death during the start. In
 * short: some of each kind of call.
 */
export const planOf = (
  courses: readonly Course[],
  start: readonly Strike[],
  { dice, short }: Pick<Sheet, 'dice' | 'short'>,
): Point[] => {
  const all = courses.flatMap(({ operation, threads, calls: names }) =>
    strikesOf(names).map((strike) => ({ ...strike, operation, threads, start: null })),
  );
  const twice = (point: Point): Point => ({
    ...point,
    start: start[Math.floor(dice.roll() * start.length)] ?? null,
  });
  if (!short)
    return [...all, ...shuffled(dice, all).map((point, index) => (index % 3 === 2 ? twice(point) : point))];
  const kinds = Object.values(Object.groupBy(shuffled(dice, all), ({ name }) => name));
  const inTurns = shuffled(dice, all).flatMap((_, turn) => kinds.flatMap((kind) => kind?.[turn] ?? []));
  // Twice as many: a process may make fewer calls than the measured one, and a point past its last kills nothing.
  return inTurns.slice(0, 2 * points).map((point, index) => (index % 6 === 5 ? twice(point) : point));
};
