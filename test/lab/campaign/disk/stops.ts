// Stops pressed while the disk is full or its writes fail: after space is freed and a start everything is stopped, and
// nothing was signed after the stop. Requests that the stop met end once, as after every fault.
import { join } from 'node:path';
import type { Answer } from '../../../harness/http-client.ts';
import type { Sheet } from '../gate.ts';
import type { Victim } from './host-process.ts';
import type { Place } from './operations.ts';
import {
  add,
  askAll,
  enter,
  isHalted,
  judge,
  noFaults,
  recover,
  requestsOf,
  type Tally,
} from './recovery.ts';
import { openEstate, openScene, type Scene } from './scene.ts';
import { mountSmallDisk } from './small-disk.ts';
import { attach, straceMissing } from './strace.ts';

const rounds = { short: 4, full: 60 };
const prefer = 'wait=2';
/** Each turn takes room, or syncs, at least once. */
const mostTurns = 400;

interface Fault {
  name: string;
  /** On a full disk payments are refused before one of them could make the host halt. */
  halts: boolean;
  end(): Promise<void>;
}
type Begin = (victim: Victim) => Promise<Fault>;
interface Stop {
  by: 'freeze' | 'kill';
  /** Pressed with payments under way, or once the host has halted. */
  late: boolean;
}
interface Round {
  number: number;
  stop: Stop;
  begin: Begin;
}

const failingWrites =
  (dataDir: string, log: string): Begin =>
  async ({ pid }) => {
    const file = join(dataDir, 'sandbox', 'treasury.db');
    const only = ['-P', file, '-P', `${file}-wal`];
    const inject = 'inject=pwrite64,fsync:error=EIO:when=1+';
    const tracer = await attach([pid], ['trace=pwrite64,fsync', inject], [...only, '-o', log]);
    return {
      name: 'failing writes',
      halts: true,
      async end() {
        await tracer.detach();
      },
    };
  };

/** Works until the host halts: the free part of the database's log is used up first. */
const workUntilHalted = async (place: Place, base: string): Promise<string[]> => {
  const keys: string[] = [];
  for (let turn = 0; turn < mostTurns && !(await isHalted(place)); turn += 1) {
    keys.push(`${base} ${turn}`);
    await askAll(place, requestsOf('eight pays', `${base} ${turn}`), prefer);
  }
  return keys;
};

const press = ({ victim }: Place, by: Stop['by']): Promise<Answer> =>
  victim.client.post(by === 'freeze' ? '/v1/freeze' : '/v1/agents/mortal/kill');

/** Whether the answer says plainly that it is stopped. */
const isTold = ({ status, body }: Answer): boolean =>
  body['frozen'] === true ||
  body['status'] === 'suspended' ||
  (status === 503 && body['code'] === 'halted' && body['details']?.recorded === true);

const isStopped = (answer: Answer | null): boolean =>
  answer?.status === 403 && ['frozen', 'suspended'].includes(String(answer.body['code']));

const signedAfter = (rows: readonly { signedAt: number | null }[], time: number): number =>
  rows.filter(({ signedAt }) => signedAt !== null && signedAt > time).length;

const runRound = async (
  at: Place,
  { number, stop: { by, late }, begin }: Round,
  { figures, failures }: Tally,
): Promise<Victim> => {
  const { scene, estate } = at;
  const before = await at.victim.look();
  scene.takeSent();
  const fault = await begin(at.victim);
  const point = `${number}: ${by} ${late ? 'once halted' : 'under way'}, ${fault.name}`;
  const found = (name: string, what: string): void => {
    add(figures, name);
    failures.push(`${point}: ${name}: ${what}`);
  };
  const worked = late && fault.halts ? await workUntilHalted(at, `${number}`) : [];
  const requests = [...worked, `${number} last`].flatMap((base) => requestsOf('eight pays', base));
  const underWay = askAll(at, requestsOf('eight pays', `${number} last`), prefer);
  const stopped = await press(at, by);
  const stoppedAt = Date.now();
  add(figures, 'stops');
  if (!isTold(stopped)) found('stops not told', `${stopped.status} ${stopped.text}`);
  await underWay;
  await fault.end();
  if (stopped.text.includes('while the disk failed')) add(figures, 'stops taken by the marker');
  const early = scene.takeSent();

  await at.victim.end(number % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
  const victim = await estate.start();
  const place = { ...at, victim };
  const refused = await askAll(place, requestsOf('eight pays', `${number} after`), prefer);
  const held = refused.filter(isStopped).length;
  if (held === refused.length) add(figures, 'starts that obey the stop');
  else found('stops forgotten', refused.map((answer) => answer?.text).join());
  const { rows } = await victim.look();
  const signed = signedAfter(rows, stoppedAt);
  if (signed > 0) found('payments signed after the stop', String(signed));
  const sent = scene.takeSent();
  if (sent.length > 0) found('sent after a start that is stopped', String(sent.length));

  await victim.client.post('/v1/unfreeze');
  await victim.client.post('/v1/agents/mortal/resume');
  const recovered = await recover(place, requests);
  const after = await victim.look();
  judge(
    { ...recovered, point, answers: [], before, after, sent: [...early, ...scene.takeSent()] },
    { figures, failures },
  );
  return victim;
};

const zeros: Tally['figures'] = {
  'stops not told': 0,
  'stops forgotten': 0,
  'payments signed after the stop': 0,
  'sent after a start that is stopped': 0,
  ...noFaults,
};

const runScene = async (sheet: Sheet, scene: Scene, tally: Tally): Promise<void> => {
  const folder = sheet.stage.folder();
  const disk = mountSmallDisk(folder);
  // It is unmounted even when no host can be started on it.
  await sheet.stage.keep(Promise.resolve(disk), (it) => it?.close());
  const { estate, victim: first } = await openEstate(scene, undefined, folder);
  let victim = first;
  const filling: Begin = async () => {
    disk?.fill();
    return { name: 'a full disk', halts: false, end: async () => disk?.free() };
  };
  const kinds: { name: string; begin: Begin }[] = [
    ...(disk === null ? [] : [{ name: 'on a full disk', begin: filling }]),
    ...(straceMissing() === null
      ? [{ name: 'while writes fail', begin: failingWrites(folder, join(sheet.stage.folder(), 'trace')) }]
      : []),
  ];
  try {
    const count = sheet.short ? rounds.short : rounds.full;
    for (let round = 0; round < count && kinds.length > 0; round += 1) {
      const kind = kinds[round % kinds.length] as (typeof kinds)[number];
      const turn = Math.floor(round / kinds.length);
      const stop: Stop = { by: turn % 4 > 1 ? 'kill' : 'freeze', late: turn % 2 === 0 };
      const one: Round = { number: round + 1, stop, begin: kind.begin };
      victim = await runRound({ scene, estate, victim }, one, tally);
      add(tally.figures, kind.name);
      if (round % 10 === 9) sheet.say(`${round + 1} of ${count} stops, ${tally.failures.length} failures`);
    }
  } finally {
    await victim.end('SIGKILL');
    disk?.close();
    estate.remove();
  }
};

export const stops = async (sheet: Sheet): Promise<void> => {
  const tally: Tally = { figures: { stops: 0, ...zeros }, failures: [] };
  const scene = await sheet.stage.keep(openScene(), (it) => it.close());
  await runScene(sheet, scene, tally);
  const { figures } = tally;
  if (figures['stops'] === 0) return sheet.skip('stops', 'neither strace nor mount can be used here');
  sheet.exactly(
    'starts after a stop that obey it',
    figures['starts that obey the stop'] ?? 0,
    figures['stops'] ?? 0,
  );
  if ((figures['stops taken by the marker'] ?? 0) === 0)
    tally.failures.push('no stop was taken by the marker');
  enter(sheet, tally, Object.keys(zeros));
};
