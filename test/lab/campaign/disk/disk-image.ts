// The possible contents of a disk after a power cut, from the log of writes and syncs. Synced bytes are there.
// Unsynced ones may be there, or not, or in part, sector by sector; a name is there once its folder was synced.
import { dirname } from 'node:path';
import { stringsOf, type SystemCall } from './trace-log.ts';

export type Files = ReadonlyMap<string, Buffer>;

/** The fate of unsynced writes: none is there, some are, or some sectors of each. */
export type Loss = 'dropped' | 'subset' | 'torn';

const sector = 512;

type Change = { line: number } & ({ at: number; bytes: Buffer } | { length: number });
interface Content {
  durable: Buffer;
  pending: Change[];
}
/** Names that change together, as in a rename; null: gone. */
type NameChange = { line: number; names: [string, Content | null][] };

export interface DiskImage {
  /** The number of steps in the log; each is a write, a sync, or a change of names. */
  steps: number;
  /** The line of the log with which a step had ended, or a write had begun. */
  lineOf(step: number): number;
  /** Advances to the moment after this step, never backwards. */
  goTo(step: number): void;
  /** The number of writes that a cut now could lose. */
  unsynced(): number;
  /** The files after a cut now. */
  cut(loss: Loss, random: () => number): Files;
  /** The files as the host sees them now. */
  whole(): Files;
}

interface Step {
  line: number;
  run(): void;
}

export const createDiskImage = (folder: string, before: Files, calls: readonly SystemCall[]): DiskImage => {
  const names = new Map<string, Content>();
  for (const [path, bytes] of before) names.set(path, { durable: Buffer.from(bytes), pending: [] });
  const durableNames = new Map(names);
  let pendingNames: NameChange[] = [];
  const positions = new Map<string, number>();
  const inside = (path: string | null | undefined): path is string =>
    path === folder || (path?.startsWith(`${folder}/`) ?? false);

  const rename = (line: number, changes: [string, Content | null][]): void => {
    for (const [name, content] of changes) enter(names, name, content);
    pendingNames.push({ line, names: changes });
  };
  const change = (path: string, made: Change): void => void names.get(path)?.pending.push(made);

  const sync = (path: string, begun: number): void => {
    const content = names.get(path);
    if (content !== undefined) {
      const covered = content.pending.filter(({ line }) => line < begun);
      content.durable = applyAll(content.durable, covered);
      content.pending = content.pending.filter(({ line }) => line >= begun);
    }
    const isHere = ({ line, names: changed }: NameChange): boolean =>
      line < begun && changed.every(([name]) => dirname(name) === path);
    for (const { names: changed } of pendingNames.filter(isHere))
      for (const [name, kept] of changed) enter(durableNames, name, kept);
    pendingNames = pendingNames.filter((one) => !isHere(one));
  };

  const stepOf = (call: SystemCall): Step | null => {
    const { name, target, data, args, line, returnedLine, result } = call;
    if (result === null || result < 0) return null;
    const [first = '', second = ''] = stringsOf(call);
    switch (name) {
      case 'openat':
        if (!inside(first) || !/O_CREAT|O_TRUNC/.test(args)) return null;
        return {
          line: returnedLine,
          run() {
            positions.set(first, 0);
            if (!names.has(first)) rename(line, [[first, { durable: Buffer.alloc(0), pending: [] }]]);
            else if (args.includes('O_TRUNC')) change(first, { line, length: 0 });
          },
        };
      case 'pwrite64': {
        if (!inside(target)) return null;
        const at = Number(/, (\d+)$/.exec(args)?.[1]);
        return { line, run: () => change(target, { line, at, bytes: data.subarray(0, result) }) };
      }
      case 'write':
        if (!inside(target)) return null;
        return {
          line,
          run() {
            const at = positions.get(target) ?? 0;
            positions.set(target, at + result);
            change(target, { line, at, bytes: data.subarray(0, result) });
          },
        };
      case 'ftruncate': {
        if (!inside(target)) return null;
        const length = Number(/, (\d+)$/.exec(args)?.[1]);
        return { line, run: () => change(target, { line, length }) };
      }
      case 'fsync':
      case 'fdatasync':
        return inside(target) ? { line: returnedLine, run: () => sync(target, line) } : null;
      case 'unlink':
        return inside(first) ? { line: returnedLine, run: () => rename(line, [[first, null]]) } : null;
      case 'rename':
        if (!inside(first)) return null;
        return {
          line: returnedLine,
          run: () =>
            rename(line, [
              [first, null],
              [second, names.get(first) ?? null],
            ]),
        };
      default:
        return null;
    }
  };
  const steps = calls.flatMap((call) => stepOf(call) ?? []).toSorted((a, b) => a.line - b.line);
  let done = -1;

  return {
    steps: steps.length,
    lineOf: (step) => steps[step]?.line ?? Infinity,
    goTo(step) {
      while (done < step) steps[(done += 1)]?.run();
    },
    unsynced: () => [...names.values()].reduce((sum, { pending }) => sum + pending.length, 0),
    cut(loss, random) {
      const there = new Map(durableNames);
      // The file system logs names in order: earlier changes are there first.
      const kept = loss === 'dropped' ? 0 : Math.floor(random() * (pendingNames.length + 1));
      for (const { names: changed } of pendingNames.slice(0, kept))
        for (const [name, content] of changed) enter(there, name, content);
      return mapped(there, ({ durable, pending }) =>
        applyAll(
          durable,
          pending.flatMap((one) => surviving(one, loss, random)),
        ),
      );
    },
    whole: () => mapped(names, ({ durable, pending }) => applyAll(durable, pending)),
  };
};

const enter = (names: Map<string, Content>, name: string, content: Content | null): void => {
  if (content === null) names.delete(name);
  else names.set(name, content);
};

const mapped = (names: ReadonlyMap<string, Content>, bytesOf: (content: Content) => Buffer): Files =>
  new Map([...names].map(([name, content]) => [name, bytesOf(content)]));

/** A copy with the changes in it, one after the other. */
const applyAll = (bytes: Buffer, changes: readonly Change[]): Buffer => {
  const end = changes.reduce(
    (most, one) => Math.max(most, 'length' in one ? 0 : one.at + one.bytes.length),
    0,
  );
  // Long enough at once, unless a truncation on the way shortens it.
  const isCut = changes.some((one) => 'length' in one);
  const long = Buffer.alloc(isCut ? bytes.length : Math.max(bytes.length, end));
  bytes.copy(long);
  return changes.reduce(apply, long);
};

/** Writes into `bytes`, or into a longer copy of it. */
const apply = (bytes: Buffer, change: Change): Buffer => {
  if ('length' in change) {
    const cut = Buffer.alloc(change.length);
    bytes.copy(cut);
    return cut;
  }
  const end = change.at + change.bytes.length;
  const long = bytes.length >= end ? bytes : Buffer.concat([bytes, Buffer.alloc(end - bytes.length)]);
  change.bytes.copy(long, change.at);
  return long;
};

const surviving = (change: Change, loss: Loss, random: () => number): Change[] => {
  if (loss === 'dropped') return [];
  if (loss === 'subset' || 'length' in change) return random() < 0.5 ? [change] : [];
  const { line, at, bytes } = change;
  const parts: Change[] = [];
  for (let from = at; from < at + bytes.length;) {
    const to = Math.min(at + bytes.length, (Math.floor(from / sector) + 1) * sector);
    if (random() < 0.5) parts.push({ line, at: from, bytes: bytes.subarray(from - at, to - at) });
    from = to;
  }
  return parts;
};
