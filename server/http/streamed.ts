// A seller's answer as JSON, piece by piece: it is never held whole, neither as bytes nor as text, and waits for its
// reader.
import { StringDecoder } from 'node:string_decoder';
import type { Response } from 'express';
import type { AnswerBody, Streamed } from '../engine/ports.ts';

/** Resolves when there is room for the next piece; false when nobody reads any more. */
export const writePiece = async (response: Response, piece: string | Buffer): Promise<boolean> => {
  if (response.destroyed) return false;
  if (response.write(piece)) return true;
  await new Promise<void>((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
  return !response.destroyed;
};

/** From here on a piece is written; what is smaller leaves in one packet with the rest. */
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

/** What stands between the quotes. */
async function* textOf(body: AnswerBody): AsyncGenerator<string> {
  const decoder = new StringDecoder(body.encoding);
  // Whole characters, and with base64 whole groups of three bytes.
  for await (const piece of body.read()) yield inQuotes(decoder.write(piece));
  yield inQuotes(decoder.end());
}

const inQuotes = (text: string): string => JSON.stringify(text).slice(1, -1);
