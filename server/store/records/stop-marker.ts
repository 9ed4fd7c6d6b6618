// The stop marker: a file beside the database that records a stop when the database cannot commit, as on a full disk.
// It is created at its full size, so that writing it later needs no free space and no new directory entry.
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
import type { Freeze, StopMarker, Store } from '../../engine/ports.ts';
import { AppError } from '../../errors.ts';
import { replacePrivate } from '../../lib/files/durable-files.ts';

const fileName = 'stop.marker';
const bytes = 4_096;
/** JSON escapes take at most six bytes per UTF-16 unit, so a reason of this length always fits. */
const longestReason = 500;
const metaName = 'stop-marker';

const content = z.strictObject({
  stop: z.strictObject({ since: z.int().nonnegative(), reason: z.string() }).nullable(),
});

/**
 * Opens the marker; creates it at the first start of a version that has one.
 * @throws AppError `halted` when it cannot be created: no payments without a working stop
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
    // Opened at the start: at the time of a stop there may be no free descriptor.
    if (descriptor === null) throw new Error('the stop marker is closed');
    overwrite(descriptor, next);
    // The file was replaced, as by a restored copy: the next start reads that one. A missing file stops that start.
    if (isReplaced(file, descriptor)) overwriteAt(file, next);
  };

  return {
    get: () => stop,
    set(wanted) {
      stop = wanted;
      // An unreadable marker is left alone: it stops the next start as it is.
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

/** For records from another folder or another time: their note of a marker does not hold for this folder. */
export const forgetStopMarker = ({ meta }: Pick<Store, 'meta'>): void => meta.set(metaName, '');

const unreadable = Symbol('unreadable');

/** A write torn by a power cut mixes old and new sectors, which is not JSON: it is read as a stop. */
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
