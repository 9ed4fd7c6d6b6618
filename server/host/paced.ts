// Sends a long document piece by piece, as its reader takes it and as payments leave room for it.
import type { Writable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Store } from '../engine/ports.ts';
import { writePiece } from '../http/streamed.ts';

/** Pause after each piece while payments are being made, in milliseconds. */
const busyMs = 10;

/**
 * Resolves to whether all was taken; to false when the reader is gone.
 * @param pieces texts that each took about a millisecond to make
 */
export const sendPaced = async (
  { journal }: Pick<Store, 'journal'>,
  to: Writable,
  pieces: Iterable<string>,
): Promise<boolean> => {
  let head = journal.head().seq;
  for (const piece of pieces) {
    if (to.destroyed) return false;
    if (piece !== '') await writePiece(to, piece);
    // Also when the socket accepts everything at once: payments go first.
    const isBusy = journal.head().seq !== head;
    head = journal.head().seq;
    await (isBusy ? wait(busyMs) : nextTurn());
  }
  return !to.destroyed;
};
