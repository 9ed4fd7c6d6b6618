// Reads the body of a request: JSON of at most 64 KiB.
import express, { type RequestHandler } from 'express';
import { AppError, fieldError } from '../errors.ts';

const bodyLimit = 64 * 1024;
/** A stop waits no longer for its body. */
const stopWaitsMs = 1_000;

export interface BodyReaders {
  readBody: RequestHandler;
  /** For a stop, which stops whatever its body is: one that cannot be read, or does not come to its end, counts as empty. */
  readStop: RequestHandler;
}

export const createBodyReaders = (): BodyReaders => {
  const readJson = express.json({ limit: bodyLimit, strict: true, inflate: false, type: () => true });

  const readBody: RequestHandler = (request, response, next) => {
    const length = Number(request.headers['content-length'] ?? 0);
    if (length === 0 && request.headers['transfer-encoding'] === undefined) {
      request.body = {};
      next();
    } else if (length > bodyLimit) {
      // Refused before it arrives: the parser would read all of it first.
      throw fieldError('body', 'must be at most 64 KiB', 'too_large');
    } else if (request.is('application/json') === false) {
      throw new AppError('unsupported_media_type', 'Content-Type: the body must be application/json.');
    } else readJson(request, response, next);
  };

  const readStop: RequestHandler = (request, response, next) => {
    let isOver = false;
    const goOn = (isRead: boolean): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(late);
      if (!isRead) request.body = {};
      next();
    };
    const late = setTimeout(goOn, stopWaitsMs, false);
    try {
      void readBody(request, response, (error?: unknown) => goOn(error === undefined));
    } catch {
      goOn(false);
    }
  };

  return { readBody, readStop };
};
