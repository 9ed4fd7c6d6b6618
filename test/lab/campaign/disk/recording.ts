// Records a host at work: everything that it wrote, synced, answered and sent.
import { mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { removeFolder } from '../../../harness/treasury.ts';
import type { Files } from './disk-image.ts';
import type { Sheet } from '../gate.ts';
import type { Victim } from './host-process.ts';
import { acknowledgedIn, sentIn, type Acknowledged, type Sent } from './leaving.ts';
import { operations, type OperationName } from './operations.ts';
import { openEstate, openScene, type Estate, type Scene } from './scene.ts';
import { readTrace, type SystemCall } from './trace-log.ts';

const traced =
  'openat,write,writev,sendto,sendmsg,pwrite64,fsync,fdatasync,ftruncate,unlink,rename,unlinkat,renameat,renameat2,pwritev,fallocate';
/** System calls that this model of a disk does not know; none may be seen on the files that it keeps. */
const unknownCalls = ['unlinkat', 'renameat', 'renameat2', 'pwritev', 'fallocate'];
const mostRounds = 20;

export interface Recording {
  dataDir: string;
  /** The files on disk before the host started. */
  before: Files;
  calls: SystemCall[];
  acknowledged: Acknowledged[];
  sent: Sent[];
}

const filesBelow = (folder: string): Files =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path, readFileSync(path)]),
  );

const work: readonly OperationName[] = [
  'pay',
  'pay',
  'eight pays',
  'pay',
  'allocate',
  'fetch',
  'generate',
  'refund',
  'pay',
];

const workOnce = async (scene: Scene, estate: Estate, victim: Victim, round: number): Promise<void> => {
  const place = { scene, estate, victim };
  for (const [index, operation] of work.entries()) {
    const keys = operations[operation].keys(`round-${round}-${index}`);
    const answers = await Promise.all(keys.map((key) => operations[operation].ask(place, key)));
    if (!(await victim.quiet(60_000))) throw new Error(`${operation} did not settle: ${victim.said()}`);
    // Each task is requested again, so that its end is reported too.
    for (const answer of answers) await operations[operation].told(place, answer);
  }
};

const isOfDatabase = (call: SystemCall): boolean => call.target?.endsWith('/treasury.db') ?? false;

/** Works until the database's log was copied back into its file, and a while longer; in short until the host ends. */
export const record = async (
  { say, short }: Pick<Sheet, 'say' | 'short'>,
  source?: string,
): Promise<Recording> => {
  const scene = await openScene();
  const log = join(mkdtempSync(join(tmpdir(), 'treasury-test-')), 'trace');
  const { estate, victim } = await openEstate(scene, source);
  let host = victim;
  try {
    await victim.end('SIGTERM');
    const before = filesBelow(estate.dataDir);
    const strace = ['strace', '-f', '--seccomp-bpf', '-yy', '-xx', '-s', '4000000', '-o', log];
    host = await estate.start([...strace, '-e', `trace=${traced}`]);
    let roundsAfter = 0;
    for (let round = 0; roundsAfter < 2; round += 1) {
      if (round === mostRounds) throw new Error('the log of the database was never copied back');
      await workOnce(scene, estate, host, round);
      if (short) break;
      // It is copied back in an idle moment, which comes four times a second.
      await new Promise((resolve) => setTimeout(resolve, 700));
      if (readTrace(log).some((call) => call.name === 'pwrite64' && isOfDatabase(call))) roundsAfter += 1;
    }
    await host.end('SIGTERM');
    const calls = readTrace(log);
    const recording = { dataDir: estate.dataDir, before, calls };
    const told = { acknowledged: acknowledgedIn(calls), sent: sentIn(calls) };
    say(`${calls.length} calls, ${told.acknowledged.length} answers, ${told.sent.length} transactions sent`);
    return { ...recording, ...told };
  } finally {
    await host.end('SIGKILL');
    await scene.close();
    removeFolder(dirname(log));
    estate.remove();
  }
};

/** The files that hold payments and pictures. */
export const kept = (path: string): boolean => /\/sandbox\/(treasury\.db|pictures\/)/.test(path);

const isCommit = ({ name, data }: SystemCall): boolean =>
  name === 'pwrite64' && data.length === 24 && data.readUInt32BE(4) !== 0;

/** Frames of the database's log that end a commit, and syncs of that log. */
export const commitsIn = (
  calls: readonly SystemCall[],
): { commits: number; syncs: number; copies: number } => {
  const ofLog = calls.filter(({ target }) => target?.endsWith('/treasury.db-wal') ?? false);
  return {
    commits: ofLog.filter(isCommit).length,
    syncs: ofLog.filter(({ name, result }) => name.endsWith('sync') && result === 0).length,
    copies: calls.filter((call) => call.name === 'pwrite64' && isOfDatabase(call)).length,
  };
};

/** Calls on those files that the model of the disk does not know. */
export const checkModel = ({ dataDir, calls }: Recording): string[] =>
  calls
    .filter(
      (call) =>
        unknownCalls.includes(call.name) && `${call.target} ${call.data.toString()}`.includes(dataDir),
    )
    .filter((call) => kept(`${call.target}`) || kept(call.data.toString()))
    .map(({ name, line }) => `the model of the disk does not know ${name} (line ${line})`);
