// Gate 4: the power fails. A host works under strace, which records every write, sync, answer and transaction sent.
// From that log the disk is built as it may be after a cut at any moment, and the store is opened on it.
import { readFileSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import Database from 'better-sqlite3';
import { verifyJournal } from '../../../../server/engine/records/audit.ts';
import type { Store } from '../../../../server/engine/ports.ts';
import { createStore } from '../../../../server/store/store.ts';
import { removeFolder } from '../../../harness/treasury.ts';
import { createDiskImage, type DiskImage, type Files, type Loss } from '../disk/disk-image.ts';
import { createGate, type Sheet } from '../gate.ts';
import type { Dice } from '../../../harness/dice.ts';
import type { Acknowledged, Sent } from '../disk/leaving.ts';
import { checkModel, commitsIn, kept, record, type Recording } from '../disk/recording.ts';
import { copySource, type Edit } from '../source-copy.ts';
import { straceMissing } from '../disk/strace.ts';

const losses: readonly Loss[] = ['dropped', 'subset', 'torn'];

interface Finding {
  lost: string[];
  corrupt: string[];
  unjournalled: string[];
  /** The chain has to report an outcome again. */
  behind: boolean;
}

const place = (files: Files, dataDir: string, folder: string): void => {
  for (const [path, bytes] of files) {
    if (!kept(path)) continue;
    const to = join(folder, relative(dataDir, path));
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, bytes);
  }
};

interface BeforeCut {
  told: readonly Acknowledged[];
  sent: readonly Sent[];
  pictures: Files;
  dataDir: string;
}

/** Opens the store on what is left, and compares it with what was told and sent before the cut. */
const examine = (folder: string, { told, sent, pictures, dataDir }: BeforeCut): Finding => {
  const file = join(folder, 'sandbox', 'treasury.db');
  const finding: Finding = { lost: [], corrupt: [], unjournalled: [], behind: false };
  try {
    const store = createStore({ file, now: Date.now, onHalt: () => {} });
    try {
      const broken = verifyJournal(store);
      if (broken !== null) finding.corrupt.push(broken);
      const sum = [...store.ledger.balances().values()].reduce((total, units) => total + units, 0n);
      if (sum !== 0n) finding.corrupt.push(`the ledger adds up to ${sum}`);
      const wires = new Set(
        [...store.transfers.iterate({})].map(({ signed }) =>
          signed === null ? '' : Buffer.from(signed.wire).toString('base64'),
        ),
      );
      finding.unjournalled.push(
        ...sent.filter(({ wire }) => !wires.has(wire)).map(({ line }) => `what was sent at ${line}`),
      );
      const fates = told.map((one) => ({ ...one, fate: fateOf(store, one) }));
      const lost = fates.filter(({ fate }) => fate === 'lost');
      finding.lost.push(...lost.map(({ id, status }) => `${id} (${status})`));
      finding.behind = fates.some(({ fate }) => fate === 'behind');
      finding.lost.push(
        ...told
          .filter(({ status }) => status === 'success')
          .flatMap(({ id }) => picturesLost(id, folder, pictures, dataDir)),
      );
    } finally {
      store.close();
    }
    const db = new Database(file, { readonly: true });
    const [check] = db.pragma('integrity_check') as { integrity_check: string }[];
    db.close();
    if (check?.integrity_check !== 'ok') finding.corrupt.push(String(check?.integrity_check));
  } catch (error) {
    finding.corrupt.push(String(error));
  }
  return finding;
};

/**
 * `behind`: the row and its signed bytes are there, without the chain's outcome, which the chain reports again.
 * Decisions, signatures and pictures are never behind.
 */
const fateOf = (store: Store, { id, status, delivered }: Acknowledged): 'kept' | 'behind' | 'lost' => {
  if (id.startsWith('task_')) {
    const task = store.tasks.get(id);
    const isThere =
      task !== undefined && (['queued', 'generating'].includes(status) || task.state === status);
    return isThere ? 'kept' : 'lost';
  }
  const row = store.transfers.get(id);
  if (row === undefined) return 'lost';
  if (status !== 'confirmed' && !delivered) return 'kept';
  if (row.signed === null || !['signed', 'sent', 'seen', 'final'].includes(row.state)) return 'lost';
  const isSeen = status !== 'confirmed' || row.state === 'seen' || row.state === 'final';
  return isSeen && (!delivered || row.purchase?.delivery === 'delivered') ? 'kept' : 'behind';
};

const picturesLost = (taskId: string, folder: string, whole: Files, dataDir: string): string[] => {
  const own = [...whole].filter(([path]) => path.includes(`/pictures/${taskId}`));
  if (own.length === 0) return [`the picture of ${taskId} was never there`];
  return own.flatMap(([path, bytes]) => {
    const at = join(folder, relative(dataDir, path));
    return existsSync(at) && readFileSync(at).equals(bytes) ? [] : [`the picture of ${taskId}`];
  });
};

interface Examined {
  states: number;
  cuts: number;
  withUnsynced: number;
  behind: number;
  lost: string[];
  corrupt: string[];
  unjournalled: string[];
}

/** The moments at which the power fails: half right before something was told or sent (`lines`), half at any other. */
const cutsOf = (
  { steps, lineOf }: DiskImage,
  lines: readonly number[],
  count: number,
  { roll }: Dice,
): number[] => {
  const cuts = new Set<number>();
  const before = (line: number): number => {
    let [low, high] = [0, steps];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (lineOf(middle) <= line) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };
  const most = Math.min(count, steps);
  while (cuts.size < most) {
    const line = lines[Math.floor(roll() * lines.length)];
    const isNearWord = cuts.size % 2 === 0 && line !== undefined && cuts.size < lines.length;
    // A few steps later: the next writes are under way.
    const step = isNearWord ? before(line) + Math.floor(roll() * 4) : Math.floor(roll() * steps);
    if (step >= 0 && step < steps) cuts.add(step);
  }
  return [...cuts].toSorted((a, b) => a - b);
};

const examineAll = (recording: Recording, count: number, dice: Dice): Examined => {
  const { dataDir, before, calls, acknowledged, sent } = recording;
  const whole = createDiskImage(dataDir, before, calls);
  whole.goTo(whole.steps - 1);
  const atEnd = whole.whole();
  // A picture is never rewritten: its bytes at the end are those of the moment when it was reported.
  const pictures: Files = new Map([...atEnd].filter(([path]) => path.includes('/pictures/')));
  const image = createDiskImage(dataDir, before, calls);
  const lines = [...acknowledged, ...sent].map(({ line }) => line);
  const examined: Examined = {
    states: 0,
    cuts: 0,
    withUnsynced: 0,
    behind: 0,
    lost: [],
    corrupt: [],
    unjournalled: [],
  };
  const ground = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  for (const cut of cutsOf(image, lines, Math.ceil(count / losses.length), dice)) {
    image.goTo(cut);
    examined.cuts += 1;
    if (image.unsynced() > 0) examined.withUnsynced += 1;
    // Up to the moment right before the next step.
    const until = image.lineOf(cut + 1);
    const told = acknowledged.filter(({ line }) => line < until);
    const gone = sent.filter(({ line }) => line < until);
    for (const loss of losses) {
      const folder = mkdtempSync(join(ground, 'treasury-test-'));
      place(image.cut(loss, dice.roll), dataDir, folder);
      const finding = examine(folder, { told, sent: gone, pictures, dataDir });
      removeFolder(folder);
      examined.states += 1;
      if (finding.behind) examined.behind += 1;
      for (const kind of ['lost', 'corrupt', 'unjournalled'] as const)
        if (finding[kind].length > 0)
          examined[kind].push(`step ${cut}, ${loss}: ${finding[kind].slice(0, 3).join('; ')}`);
    }
  }
  return examined;
};

/** The edits for `synchronous = NORMAL`, under which commits are not synced. */
export const normalSync: readonly Edit[] = [
  { file: 'server/store/database.ts', from: "'synchronous = FULL'", to: "'synchronous = NORMAL'" },
  { file: 'server/store/database.ts', from: 'simple: true }) === 2n', to: 'simple: true }) === 1n' },
];

const synced = async (sheet: Sheet): Promise<void> => {
  const { dice, short, exactly, none, tell, skip } = sheet;
  const missing = straceMissing();
  if (missing !== null) return skip('states of the disk', missing);
  const recording = await record(sheet);
  const { commits, syncs, copies } = commitsIn(recording.calls);
  const blind = [
    ...checkModel(recording),
    ...(syncs < commits ? [`${commits} commits and ${syncs} syncs of the log`] : []),
    ...(copies === 0 ? ['the log was never copied back'] : []),
    ...(recording.sent.length === 0 || recording.acknowledged.length === 0
      ? ['nothing was seen to leave the host']
      : []),
  ];
  const wanted = short ? 120 : 1_500;
  const found = examineAll(recording, wanted, dice);
  exactly('states of the disk', found.states, wanted);
  none('states with acknowledged commits lost', found.lost);
  none('states corrupt', found.corrupt);
  none('states with a transaction sent and not in the journal', found.unjournalled);
  none('what this gate could not see', blind);
  tell('moments of the cut', found.cuts);
  tell('of them with unsynced writes', found.withUnsynced);
  tell('commits in the log', commits);
  tell('syncs of the log', syncs);
  tell('answers that name a payment or a task', recording.acknowledged.length);
  tell('transactions sent', recording.sent.length);
  tell('states in which the chain has to tell again', found.behind);
};

/** Proves that this gate notices unsynced commits. */
const unsynced = async (sheet: Sheet): Promise<void> => {
  const { dice, short, exactly, tell, skip } = sheet;
  const missing = straceMissing();
  if (missing !== null) return skip('states with NORMAL', missing);
  const copy = copySource(normalSync);
  const normal = await record(sheet, copy.source)
    .then((one) => examineAll(one, short ? 45 : 300, dice))
    .finally(copy.remove);
  exactly('NORMAL instead of FULL is noticed', normal.lost.length > 0 ? 1 : 0, 1);
  tell('states with NORMAL', normal.states);
  tell('of them with acknowledged commits lost', normal.lost.length);
  tell('of them with a transaction sent and not in the journal', normal.unjournalled.length);
};

export const gate = createGate(4, 'power loss at any moment', {
  'every commit synced': synced,
  'commits that are not synced': unsynced,
});
