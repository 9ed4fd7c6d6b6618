// Gate 3: SIGKILL of the host right before each system call with which a payment, an allocation, a fetch or a picture
// reaches the disk or the network, and again while it starts after that. Then a start, and the same keys again.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openScenes, tryPoints, type Ground } from '../disk/ground.ts';
import type { Victim } from '../disk/host-process.ts';
import {
  calls,
  injectOf,
  measure,
  planOf,
  points,
  threadsOf,
  type Point,
  type Strike,
} from '../disk/kill-plan.ts';
import {
  add,
  askAll,
  enter,
  judge,
  noFaults,
  recover,
  requestsOf,
  type Request,
  type Tally,
} from '../disk/recovery.ts';
import { attach, straceMissing } from '../disk/strace.ts';
import { createGate, type Sheet } from '../gate.ts';

const fullPoints = 1_000;

/** The host's next step when it died, from the last line of the log. */
const diedAt = (log: string): string => {
  const line = readFileSync(log, 'latin1')
    .split('\n')
    .findLast((text) => /= \?/.test(text));
  const [, name = 'unknown', target = ''] = /(\w+)\((?:\d+<([^>]*))?/.exec(line ?? '') ?? [];
  const kind = /\.db/.test(target)
    ? 'of the database'
    : /pictures/.test(target)
      ? 'of a picture'
      : target.startsWith('TCP')
        ? 'of a connection'
        : '';
  return `${name} ${kind}`.trim();
};

/** Null: the host outlived its operation, so that this is no kill point. */
const strike = async (ground: Ground, point: Point, requests: readonly Request[]) => {
  const { scene, estate, victim, log } = ground;
  const tracer = await attach(
    threadsOf(victim, point.threads),
    [`trace=${calls}`, injectOf(point)],
    ['-yy', '-s', '0', '-o', log],
  );
  const answers = await askAll({ scene, estate, victim }, requests);
  await victim.quiet(30_000);
  if (!victim.isGone()) {
    await tracer.detach();
    // It may still have been killed while strace detached.
    const isThere = await victim.look().then(
      () => true,
      () => false,
    );
    if (isThere) return { answers, at: null };
    await victim.ended;
  } else await tracer.ended;
  return { answers, at: diedAt(log) };
};

const startAgain = async (
  ground: Ground,
  strikeAt: Strike | null,
  figures: Record<string, number>,
): Promise<Victim> => {
  if (strikeAt !== null) {
    const under = [
      'strace',
      '-f',
      '-qq',
      '-s',
      '0',
      '-o',
      ground.log,
      '-e',
      `trace=${calls}`,
      '-e',
      injectOf(strikeAt),
    ];
    const outcome = await ground.estate.start(under).then(
      (victim) => victim.end('SIGKILL').then(() => 'kills after a start'),
      () => 'kills during a start',
    );
    add(figures, outcome);
    if (outcome === 'kills during a start') add(figures, 'kill points');
  }
  return ground.estate.start();
};

const runPoint = async (
  ground: Ground,
  point: Point,
  number: number,
  tally: Tally,
): Promise<Pick<Ground, 'victim' | 'last'>> => {
  const { operation } = point;
  const { scene, estate } = ground;
  const before = ground.last ?? (await ground.victim.look());
  scene.takeSent();
  const requests = requestsOf(operation, `${number} ${operation}`);
  const hit = await strike(ground, point, requests);
  if (hit.at === null) {
    add(tally.figures, 'points past the end');
    return { victim: ground.victim, last: null };
  }
  add(tally.figures, 'kill points');
  add(tally.figures, `before ${hit.at}`);
  const victim = await startAgain(ground, point.start, tally.figures);
  const place = { scene, estate, victim };
  const recovered = await recover(place, requests);
  if (recovered.warped) add(tally.figures, 'points that needed a proof of death');
  const sent = scene.takeSent();
  const after = await victim.look(before);
  const again = point.start === null ? '' : `, then ${point.start.name} ${point.start.nth} of the start`;
  const name = `${nameOf(point)} (${hit.at})${again}`;
  judge({ ...recovered, point: name, answers: hit.answers, before, after, sent }, tally);
  return { victim, last: after };
};

const nameOf = ({ operation, name, nth, threads }: Point): string =>
  `${operation}, ${name} ${nth} of the ${threads} thread`;

const killPoints = async (sheet: Sheet): Promise<void> => {
  const { short, stage, say, skip } = sheet;
  const missing = straceMissing();
  if (missing !== null) return skip('kill points', missing);
  const scenes = await openScenes(sheet);
  const tally: Tally = { figures: { 'kill points': 0, ...noFaults }, failures: [] };
  const { figures, failures } = tally;
  const [first] = scenes;
  if (first === undefined) throw new Error('there is no scene');
  const { courses, start } = await measure(first, join(stage.folder(), 'measure'));
  say(
    courses
      .map(({ operation, threads, calls: names }) => `${operation} (${threads}): ${names.length}`)
      .join(', '),
  );
  const once = courses.reduce((sum, { calls: names }) => sum + names.length, 0);
  const kills = (): number => figures['kill points'] ?? 0;
  await tryPoints(sheet, scenes, tally, {
    plan: planOf(courses, start, sheet),
    perEstate: 20,
    nameOf,
    run: (ground, point, number) => runPoint(ground, point, number, tally),
    isEnough: (tried) => (short ? kills() >= points : tried >= once && kills() >= fullPoints),
  });
  if (kills() < (short ? points * 0.7 : fullPoints)) failures.push(`only ${kills()} kill points were met`);
  if (figures['before fsync of the database'] === undefined)
    failures.push('nothing was killed at a sync of the database');
  enter(sheet, tally, Object.keys(noFaults));
};

export const gate = createGate(3, 'SIGKILL at every system call of a payment', { 'kill points': killPoints });
