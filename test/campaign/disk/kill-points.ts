// Gate 3: SIGKILL of the host right before each system call with which a payment, an allocation, a fetch or a picture
// reaches the disk or the network, and again while it starts after that. Then a start, and the same keys again.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Gate } from './gate.ts';
import { thisSource, type Look, type Victim } from './host-process.ts';
import {
  calls,
  injectOf,
  measure,
  planOf,
  shortPoints,
  threadsOf,
  type Point,
  type Strike,
} from './kill-plan.ts';
import { add, askAll, judge, noFaults, recover, requestsOf, type Request, type Tally } from './recovery.ts';
import { openEstate, openScene, type Estate, type Scene } from './scene.ts';
import { attach, straceMissing } from './strace.ts';

/** A look at a treasury compares it with the whole of its chain. */
const pointsPerEstate = 20;
const workers = 2;
const fullPoints = 1_000;

/** What the host was about to do when it died, by the last line of the log. */
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

interface Ground {
  scene: Scene;
  source: string;
  log: string;
  estate: Estate;
  victim: Victim;
  used: number;
  /** What its store held after the last point; null: not known. */
  last: Look | null;
}

const renew = async (ground: Pick<Ground, 'scene' | 'source' | 'log'>): Promise<Ground> => ({
  ...ground,
  ...(await openEstate(ground.scene, ground.source)),
  used: 0,
  last: null,
});

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
    return { answers, at: null };
  }
  await tracer.ended;
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

const runPoint = async (ground: Ground, point: Point, number: number, tally: Tally): Promise<Ground> => {
  const { operation } = point;
  const at = ground.used >= pointsPerEstate ? await leave(ground).then(() => renew(ground)) : ground;
  const { scene, estate } = at;
  const before = at.last ?? (await at.victim.look());
  scene.takeSent();
  const requests = requestsOf(operation, `${number} ${operation}`);
  const hit = await strike(at, point, requests);
  if (hit.at === null) {
    add(tally.figures, 'points past the end');
    return { ...at, used: at.used + 1, last: null };
  }
  add(tally.figures, 'kill points');
  add(tally.figures, `before ${hit.at}`);
  const victim = await startAgain(at, point.start, tally.figures);
  const place = { scene, estate, victim };
  const recovered = await recover(place, requests);
  if (recovered.warped) add(tally.figures, 'points that needed a proof of death');
  const sent = scene.takeSent();
  const after = await victim.look();
  const again = point.start === null ? '' : `, then ${point.start.name} ${point.start.nth} of the start`;
  const name = `${operation}, ${point.name} ${point.nth} of the ${point.threads} thread (${hit.at})${again}`;
  judge({ ...recovered, point: name, answers: hit.answers, before, after, sent }, tally);
  return { ...at, victim, used: at.used + 1, last: after };
};

const leave = async ({ victim, estate }: Ground): Promise<void> => {
  await victim.end('SIGKILL');
  estate.remove();
};

export const gate3: Gate = {
  number: 3,
  title: 'SIGKILL at every system call of a payment',
  async run(options) {
    const skipped = straceMissing();
    if (skipped !== null) return { figures: {}, failures: [], skipped };
    const { short, say, source = thisSource } = options;
    const folder = mkdtempSync(join(tmpdir(), 'treasury-strace-'));
    const scenes = await Promise.all(Array.from({ length: workers }, openScene));
    const tally: Tally = {
      figures: { 'kill points': 0, ...noFaults },
      failures: [],
    };
    const { figures, failures } = tally;
    try {
      const [first] = scenes;
      if (first === undefined) throw new Error('there is no scene');
      const { courses, start } = await measure(first, source, join(folder, 'measure'));
      say(
        courses
          .map(({ operation, threads, calls: names }) => `${operation} (${threads}): ${names.length}`)
          .join(', '),
      );
      const plan = planOf(courses, start, options);
      const once = courses.reduce((sum, { calls: names }) => sum + names.length, 0);
      const least = short ? shortPoints : fullPoints;
      let next = 0;
      const isDone = (): boolean =>
        next >= plan.length || (!short && next >= once && (figures['kill points'] ?? 0) >= least);
      await Promise.all(
        scenes.map(async (scene, worker) => {
          let ground = await renew({ scene, source, log: join(folder, `trace-${worker}`) });
          while (!isDone()) {
            const number = (next += 1);
            const point = plan[number - 1];
            if (point === undefined) break;
            const failed = failures.length;
            try {
              ground = await runPoint(ground, point, number, tally);
              // What a fault spoiled is no ground for the next.
              if (failures.length > failed) {
                await leave(ground);
                ground = await renew(ground);
              }
            } catch (error) {
              failures.push(`${point.operation}, ${point.name} ${point.nth}: ${String(error)}`);
              await leave(ground);
              ground = await renew(ground);
            }
            if (number % 50 === 0)
              say(`${number} points, ${figures['kill points']} kills, ${failures.length} failures`);
          }
          await leave(ground);
        }),
      );
      const kills = figures['kill points'] ?? 0;
      if (kills < (short ? shortPoints * 0.7 : fullPoints))
        failures.push(`only ${kills} kill points were met`);
      if (!Object.keys(figures).some((name) => name === 'before fsync of the database'))
        failures.push('nothing was killed at a sync of the database');
      return { figures, failures };
    } finally {
      for (const scene of scenes) await scene.close();
      if (existsSync(folder)) rmSync(folder, { recursive: true });
    }
  },
};
