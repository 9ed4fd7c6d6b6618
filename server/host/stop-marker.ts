// The stop marker: a file beside the database that takes a stop when the database takes no commit, as on a full disk. It
// has its full size from the first start on, so that writing it needs neither room nor a name.
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Freeze, StopMarker, Store } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import { replacePrivate } from '../vault/files.ts';

const fileName = 'stop.marker';
const bytes = 4_096;
/** JSON takes at most six bytes for one of them: what is printed always fits. */
const longestReason = 500;
const metaName = 'stop-marker';

const content = z.strictObject({
  stop: z.strictObject({ since: z.int().nonnegative(), reason: z.string() }).nullable(),
});

/**
 * Opens the marker, and makes it at the first start with a version that has one.
 * @throws AppError `halted` when it cannot be made: nothing is paid that could not be stopped
 */
export const openStopMarker = (
  folder: string,
  { meta, atomically }: Pick<Store, 'meta' | 'atomically'>,
  now: () => number,
): StopMarker & { close(): void } => {
  const file = join(folder, fileName);
  const wasMade = meta.get(metaName) === 'made';
  if (!wasMade && !existsSync(file)) make(file);
  if (!wasMade) atomically(() => meta.set(metaName, 'made'));

  const found = readMarker(file);
  let isWhole = found !== unreadable;
  let stop = found === unreadable ? { since: now(), reason: unknownStop(existsSync(file)) } : found;
  let descriptor = isWhole ? openSync(file, 'r+') : null;
  const close = (): void => {
    if (descriptor !== null) closeSync(descriptor);
    descriptor = null;
  };
  const write = (next: Freeze | null): void => {
    // Opened at the start: when a stop comes there may be no descriptor to be had.
    if (descriptor === null) throw new Error('the stop marker is closed');
    overwrite(descriptor, next);
    // Another one lies there meanwhile, as a copy that was put back: the next start reads that. A missing one stops it.
    if (isReplaced(file, descriptor)) overwriteAt(file, next);
  };

  return {
    get: () => stop,
    set(wanted) {
      stop = wanted;
      // What cannot be read stops the next start as it is.
      if (isWhole) write(wanted);
    },
    clear() {
      if (stop === null) return;
      if (isWhole) write(null);
      else {
        make(file);
        descriptor = openSync(file, 'r+');
        isWhole = true;
      }
      stop = null;
    },
    close,
  };
};

const overwrite = (descriptor: number, stop: Freeze | null): void => {
  if (writeSync(descriptor, printed(stop), 0, bytes, 0) !== bytes)
    throw new Error('the stop marker was cut off');
  fsyncSync(descriptor);
};

const overwriteAt = (file: string, stop: Freeze | null): void => {
  const descriptor = openSync(file, 'r+');
  try {
    overwrite(descriptor, stop);
  } finally {
    closeSync(descriptor);
  }
};

const isReplaced = (file: string, descriptor: number): boolean => {
  const [there, held] = [
    statSync(file, { bigint: true, throwIfNoEntry: false }),
    fstatSync(descriptor, { bigint: true }),
  ];
  return there !== undefined && (there.ino !== held.ino || there.dev !== held.dev);
};

const make = (file: string): void => {
  try {
    replacePrivate(file, printed(null).toString());
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new AppError(
      'halted',
      `The file ${fileName} could not be written to the data folder (${code}). Free space or repair the disk, then start again.`,
      {},
      { cause: error },
    );
  }
};

/** The records come from another folder, or another time: whether a marker lies beside them is not theirs to say. */
export const forgetStopMarker = ({ meta }: Pick<Store, 'meta'>): void => meta.set(metaName, '');

const unreadable = Symbol('unreadable');

/** Sectors of an old and a new content together are no JSON: what a power cut tore reads as a stop. */
const readMarker = (file: string): Freeze | null | typeof unreadable => {
  try {
    const text = readFileSync(file);
    if (text.length !== bytes) return unreadable;
    return content.parse(JSON.parse(text.toString())).stop;
  } catch {
    return unreadable;
  }
};

const printed = (stop: Freeze | null): Buffer => {
  const text = Buffer.alloc(bytes, ' ');
  const cut = stop === null ? null : { since: stop.since, reason: stop.reason.slice(0, longestReason) };
  text.write(`${JSON.stringify({ stop: cut })}`);
  return text;
};

const unknownStop = (isThere: boolean): string =>
  `the file ${fileName} in the data folder ${isThere ? 'cannot be read' : 'is missing'}, so a stop pressed while the disk failed may be lost: payments are frozen as a precaution. If you did not press it, unfreeze`;
