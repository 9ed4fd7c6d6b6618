// Reads the bytes of a request's body, and leaves them for the parser that follows.
import type { IncomingMessage } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';

export interface BodyTooLarge {
  tooLarge: true;
}

interface ParsedRequest extends IncomingMessage {
  rawBody?: unknown;
  /** In HTTP/2. */
  stream?: ServerHttp2Stream;
}

const nothing = Buffer.alloc(0);

/**
 * The body as it came over the wire. Uses `request.rawBody` if a platform or a parser's `verify` kept it there;
 * otherwise reads the stream, keeps the bytes there and puts them back, so that `express.json()` can still follow.
 * Rejects when the body was already consumed and not kept, and when the client goes away.
 */
export const readRawBody = async (
  request: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | BodyTooLarge> => {
  const { rawBody } = request as ParsedRequest;
  if (Buffer.isBuffer(rawBody)) return rawBody;
  if (typeof rawBody === 'string') return Buffer.from(rawBody, 'utf8');
  if (hasNoBody(request)) return nothing;
  if (Number(request.headers['content-length']) > maxBytes) return { tooLarge: true };
  if (request.readableEnded || request.readableDidRead) {
    throw new Error('The paywall has to come before body parsers, unless they keep request.rawBody');
  }
  if (isEmpty(request)) return nothing;
  return readAndPutBack(request, maxBytes);
};

/** In HTTP/2 a body needs no header that announces it. */
const hasNoBody = (request: ParsedRequest): boolean => {
  if (request.stream !== undefined) return request.stream.endAfterHeaders;
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  return coding === undefined && (length === undefined || Number(length) === 0);
};

/** Reading it would emit `end` before the handler listens. */
const isEmpty = (request: ParsedRequest): boolean => hasArrived(request) && request.readableLength === 0;
const hasArrived = ({ complete, stream }: ParsedRequest): boolean => stream?.readableEnded ?? complete;

const readAndPutBack = (request: IncomingMessage, maxBytes: number): Promise<Buffer | BodyTooLarge> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (act: () => void) => {
      request.off('readable', onReadable).off('error', onGone).off('close', onGone);
      act();
    };
    const onGone = () => settle(() => reject(new Error('The client disconnected while it sent the body')));
    const onReadable = () => {
      if (size === 0 && isEmpty(request)) return settle(() => resolve(nothing));
      for (
        let chunk = request.read() as Buffer | null;
        chunk !== null;
        chunk = request.read() as Buffer | null
      ) {
        chunks.push(chunk);
        size += chunk.length;
      }
      if (size > maxBytes) return settle(() => resolve({ tooLarge: true }));
      if (!hasArrived(request)) return;
      const body = Buffer.concat(chunks);
      // A stream emits `readable` once more at its end and `end` only after that: the last moment for `unshift`.
      settle(() => {
        if (size > 0) request.unshift(body);
        (request as ParsedRequest).rawBody = body;
        resolve(body);
      });
    };
    request.on('readable', onReadable).on('error', onGone).on('close', onGone);
  });
