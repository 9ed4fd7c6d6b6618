// The client of the proxy, as it reads a seller's answer.
import type { Response } from 'express';
import type { AnswerReader } from '../../engine/ports.ts';
import type { DoorName } from '../../lib/public-url.ts';
import { writePiece } from '../streamed.ts';
import { headersForClient } from './headers.ts';
import type { Place } from './place.ts';

/** A client that takes nothing for so long has gone. */
const stalledMs = 300_000;

export const readerOf = (response: Response, place: Place, door: DoorName): AnswerReader => ({
  begin(head) {
    response.removeHeader('Cache-Control');
    response.statusCode = head.status;
    for (const [name, value] of headersForClient(head, place, door)) response.setHeader(name, value);
    // A stream of events may say nothing for a while. `flushHeaders` would write the values of headers in UTF-8.
    response.write(Buffer.alloc(0));
  },
  write: (piece) => writePiece(response, piece, stalledMs),
  end: () =>
    new Promise((resolve) => {
      if (response.destroyed) return resolve(false);
      response.once('finish', () => resolve(true)).once('close', () => resolve(false));
      response.end();
    }),
});
