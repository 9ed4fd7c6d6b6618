// Gate 5: the disk fails at each of the first writes and syncs of the database. A transaction leaves the host only
// once the commit that holds it has returned, the host stops paying and says so, and after a start the same keys get
// their answers. A stop that is pressed during the fault holds after that start.
import { join } from 'node:path';
import { openScenes, tryPoints, type Ground } from '../disk/ground.ts';
import { sentIn } from '../disk/leaving.ts';
import type { OperationName, Place } from '../disk/operations.ts';
import {
  add,
  askAll,
  enter,
  isHalted,
  judge,
  noFaults,
  recover,
  requestsOf,
  type Request,
  type Tally,
} from '../disk/recovery.ts';
import { attach, straceMissing } from '../disk/strace.ts';
import { stops } from '../disk/stops.ts';
import { readTrace, type SystemCall } from '../disk/trace-log.ts';
import { createGate, shuffled, type Sheet } from '../gate.ts';

const fullPoints = 200;
/** For the short run: later calls take longer to reach. */
const earlyCalls = 60;
/** The seconds that a caller waits when it is not told of a halt. */
const prefer = 'wait=2';
/** Each round syncs at least once. */
const mostRounds = fullPoints + 20;
/** A host that has not halted after so many rounds with other answers than usual will not: each may wait for its end. */
const mostUnusual = 10;

interface Point {
  call: 'pwrite64' | 'fsync';
  /** The call that fails, counted from 1. */
  number: number;
  error: 'EIO' | 'ENOSPC';
  /** Counts only the calls on the database's file, into which its log is copied back. */
  whileCopying: boolean;
}

/** A full disk stays full; a disk that fails may fail once. */
const injectOf = ({ call, number, error }: Point): string =>
  `inject=${call}:error=${error}:when=${number}${error === 'ENOSPC' ? '+' : ''}`;

const nameOf = ({ call, number, error, whileCopying }: Point): string =>
  `${error} at ${call} ${number}${whileCopying ? ' of copying the log back' : ''}`;

/** Attaches with the fault of a point. Copying back is recognised by its file; then nothing else is traced. */
const arm = ({ victim, estate, log }: Ground, point: Point) => {
  const calls = point.whileCopying ? point.call : 'pwrite64,fsync,write,writev,sendto,sendmsg';
  const file = join(estate.dataDir, 'sandbox', 'treasury.db');
  const only = point.whileCopying ? ['-P', file] : [];
  return attach(
    [victim.pid],
    [`trace=${calls}`, injectOf(point)],
    ['-yy', '-xx', '-s', '100000', '-o', log, ...only],
  );
};

interface Worked {
  requests: Request[];
  answers: Awaited<ReturnType<typeof askAll>>;
  /** The answers of the round in which it stopped. */
  last: Awaited<ReturnType<typeof askAll>>;
}

const round = (turn: number): OperationName =>
  turn % 5 === 3 ? 'fetch' : turn % 7 === 6 ? 'allocate' : 'pay';

/** Works until the host has stopped. */
const work = async (place: Place, base: string, whileCopying: boolean): Promise<Worked> => {
  const worked: Worked = { requests: [], answers: [], last: [] };
  let unusual = 0;
  for (let turn = 0; turn < mostRounds && unusual < mostUnusual; turn += 1) {
    const requests = requestsOf(whileCopying ? 'eight pays' : round(turn), `${base} ${turn}`);
    const answers = await askAll(place, requests, prefer);
    worked.requests.push(...requests);
    worked.answers.push(...answers);
    // The log is copied back in an idle moment, which comes four times a second.
    if (whileCopying && turn % 8 === 7) await new Promise((resolve) => setTimeout(resolve, 700));
    const isUsual = answers.every((answer) => answer?.status === 200);
    if (!isUsual) unusual += 1;
    if ((!isUsual || whileCopying) && (await isHalted(place))) {
      worked.last = answers;
      break;
    }
  }
  return worked;
};

/** Two pieces of our signature as the database holds it: the end of a page cannot split both. */
const piecesOf = (wire: string): Buffer[] => {
  const bytes = Buffer.from(wire, 'base64');
  const signatures = Array.from({ length: bytes[0] ?? 0 }, (_, n) => bytes.subarray(1 + 64 * n, 65 + 64 * n));
  const own = signatures.find((signature) => signature.some((byte) => byte !== 0)) ?? bytes;
  return [own.subarray(0, 24), own.subarray(40, 64)];
};

/** Transactions that left the host before the commit which holds them had returned. */
const sentTooEarly = (calls: readonly SystemCall[]): { sent: number; early: number[] } => {
  const ofLog = calls.filter(({ target }) => target?.endsWith('/treasury.db-wal') ?? false);
  const writes = ofLog.filter(({ name }) => name === 'pwrite64');
  const syncs = ofLog.filter(({ name, result }) => name === 'fsync' && result === 0);
  const sent = sentIn(calls);
  const early = sent.filter(({ line, wire }) => {
    const pieces = piecesOf(wire);
    const written = writes.find(({ data }) => pieces.some((piece) => data.includes(piece)));
    const synced = written && syncs.find((sync) => sync.line > written.returnedLine);
    return synced === undefined || synced.returnedLine > line;
  });
  return { sent: sent.length, early: early.map(({ line }) => line) };
};

/** The host's own report once its disk has failed. */
const judgeHalt = async (place: Place, point: string, tally: Tally): Promise<void> => {
  const { victim } = place;
  const found = (name: string, what: string): void => {
    add(tally.figures, name);
    tally.failures.push(`${point}: ${name}: ${what}`);
  };
  if (victim.isGone()) return found('hosts that ended', victim.said().slice(-2_000));
  const refused = await askAll(place, requestsOf('pay', `${point} another`));
  const [answer] = refused;
  if (answer?.status !== 503 || answer.body['code'] !== 'halted')
    found('not halted', `another payment was answered ${answer?.status} ${answer?.text}`);
  const shown = await victim.client.get('/v1/dashboard').catch(() => null);
  if (typeof shown?.body['halted'] !== 'string')
    found('not told', `the dashboard says ${shown?.text.slice(0, 300)}`);
};

/** Requests that the fault met: a halted host says so, and does not keep them waiting. */
const judgeAnswers = (point: string, { last }: Worked, { figures, failures }: Tally): void => {
  for (const answer of last) {
    if (answer?.status === 200) continue;
    if (answer === null) add(figures, 'callers without an answer');
    else
      add(
        figures,
        `callers answered ${answer.status} ${String(answer.body['code'] ?? answer.body['status'])}`,
      );
    const isTold = answer?.status === 503 && answer.body['code'] === 'halted';
    if (isTold) continue;
    add(figures, 'callers not told of the halt');
    failures.push(`${point}: a caller waited to its end and was answered ${answer?.status} ${answer?.text}`);
  }
};

const runPoint = async (
  at: Ground,
  point: Point,
  number: number,
  tally: Tally,
): Promise<Pick<Ground, 'victim' | 'last'>> => {
  const { scene, estate } = at;
  const { figures, failures } = tally;
  const name = nameOf(point);
  const before = at.last ?? (await at.victim.look());
  scene.takeSent();
  const tracer = await arm(at, point);
  const place = { scene, estate, victim: at.victim };
  const worked = await work(place, `${number}`, point.whileCopying);
  await judgeHalt(place, name, tally);
  if (!at.victim.isGone()) await tracer.detach();
  await tracer.ended;
  const calls = readTrace(at.log);
  if (!calls.some(({ injected }) => injected)) {
    add(figures, 'faults that were not met');
    failures.push(`${name}: not met in ${worked.requests.length} requests`);
  } else
    add(
      figures,
      `${point.error} at a ${point.call === 'fsync' ? 'sync' : 'write'}${point.whileCopying ? ' while copying back' : ''}`,
    );
  if (!point.whileCopying) {
    const { sent, early } = sentTooEarly(calls);
    add(figures, 'transactions sent before a fault', sent);
    add(figures, 'sent before their commit returned', early.length);
    if (early.length > 0) failures.push(`${name}: sent before their commit returned: lines ${early.join()}`);
  }
  judgeAnswers(name, worked, tally);
  await at.victim.end(number % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
  const victim = await estate.start();
  const recovered = await recover({ ...place, victim }, worked.requests);
  const sent = scene.takeSent();
  const after = await victim.look(before);
  judge({ ...recovered, point: name, answers: worked.answers, before, after, sent }, tally);
  add(figures, 'points');
  return { victim, last: after };
};

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** For the short run: some of each kind. */
const planOf = ({ dice, short }: Sheet): Point[] => {
  const errors = ['EIO', 'ENOSPC'] as const;
  const all = (['pwrite64', 'fsync'] as const).flatMap((call) =>
    errors.flatMap((error) =>
      numbers(fullPoints).map((number): Point => ({ call, number, error, whileCopying: false })),
    ),
  );
  const copying = (['pwrite64', 'fsync'] as const).flatMap((call) =>
    errors.flatMap((error) =>
      numbers(call === 'fsync' ? 1 : 6).map((number): Point => ({ call, number, error, whileCopying: true })),
    ),
  );
  const plan = shuffled(dice, all);
  if (!short) return [...plan, ...shuffled(dice, copying)];
  const early = plan.filter(({ number }) => number <= earlyCalls);
  const kinds = Object.values(Object.groupBy(early, ({ call, error }) => `${call} ${error}`));
  return [...kinds.flatMap((kind) => kind?.slice(0, 2) ?? []), ...shuffled(dice, copying).slice(0, 1)];
};

const zeros: Tally['figures'] = {
  'sent before their commit returned': 0,
  'not halted': 0,
  'not told': 0,
  'hosts that ended': 0,
  'callers not told of the halt': 0,
  ...noFaults,
};

const ioErrors = async (sheet: Sheet): Promise<void> => {
  const missing = straceMissing();
  if (missing !== null) return sheet.skip('points', missing);
  const tally: Tally = { figures: { points: 0, ...zeros }, failures: [] };
  await tryPoints(sheet, await openScenes(sheet), tally, {
    plan: planOf(sheet),
    perEstate: 12,
    nameOf,
    run: (ground, point, number) => runPoint(ground, point, number, tally),
  });
  if ((tally.figures['transactions sent before a fault'] ?? 0) === 0)
    tally.failures.push('nothing was seen to leave the host');
  enter(sheet, tally, Object.keys(zeros));
};

export const gate = createGate(5, 'I/O errors at the first writes and syncs', { points: ioErrors, stops });
