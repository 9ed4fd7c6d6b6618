// A seller's answer as JSON, piece by piece with back-pressure: it is never held whole, as bytes or as text.
import { StringDecoder } from 'node:string_decoder';
import type { Writable } from 'node:stream';
import type { Response } from 'express';
import type { AnswerBody, Streamed } from '../engine/ports.ts';

/**
 * Resolves when there is room for the next piece; to false when the reader is gone.
 * @param stalledMs a reader that takes nothing for so long is broken off
 */
export const writePiece = async (
  response: Writable,
  piece: string | Buffer,
  stalledMs?: number,
): Promise<boolean> => {
  if (response.destroyed) return false;
  if (response.write(piece)) return true;
  const timer = stalledMs === undefined ? undefined : setTimeout(() => response.destroy(), stalledMs);
  await new Promise<void>((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
  clearTimeout(timer);
  return !response.destroyed;
};

/** Resolves to true once the whole answer has left this process; to false when its reader has gone before. */
export const endWhole = (response: Response): Promise<boolean> =>
  new Promise((resolve) => {
    if (response.destroyed || response.writableFinished) return resolve(response.writableFinished);
    response.once('finish', () => resolve(true)).once('close', () => resolve(false));
    response.end();
  });

/** Text is buffered up to this size, in UTF-16 units; a small answer leaves in one packet with the rest. */
const worthWriting = 16 * 1024;

/** @param turn resolves when the event loop has room for a piece */
export const sendStreamed = async (
  response: Response,
  { head: { payment, ...head }, body, release }: Streamed,
  turn: () => Promise<void>,
): Promise<void> => {
  try {
    response.status(200).setHeader('Content-Type', 'application/json; charset=utf-8');
    let held = `${JSON.stringify(head).slice(0, -1)},"body":"`;
    for await (const piece of textOf(body)) {
      held += piece;
      if (held.length < worthWriting) continue;
      await turn();
      if (!(await writePiece(response, held))) return;
      held = '';
    }
    response.end(`${held}","encoding":"${body.encoding}","payment":${JSON.stringify(payment)}}`);
  } finally {
    release();
  }
};

/** The content between the quotes of the JSON string. */
async function* textOf(body: AnswerBody): AsyncGenerator<string> {
  const decoder = new StringDecoder(body.encoding);
  // Splits only between whole characters or, with base64, whole groups of three bytes.
  for await (const piece of body.read()) yield inQuotes(decoder.write(piece));
  yield inQuotes(decoder.end());
}

const inQuotes = (text: string): string => JSON.stringify(text).slice(1, -1);
