// One request over HTTP: when its bytes leave, and what comes back.
import { request as httpRequest, type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { AppError } from '../errors.ts';
import { whenReady } from '../lib/net/when-ready.ts';
import type { Reading } from './answer-limit.ts';

export interface Sending {
  url: URL;
  /** Path and query, where they are not spelled as in `url`. */
  target: string | undefined;
  method: string;
  headers: Readonly<Record<string, string | string[]>>;
  body: string | Uint8Array | undefined;
  signal: AbortSignal;
  /** Limits for an answer that begins with this status. */
  begin(status: number): Reading;
  /** False: a new connection. */
  agent: Agent | false;
  lookup?: LookupFunction;
  beforeSending?: () => void;
}

export interface OutboundAnswer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Empty where the body went into `Reading.into`. */
  bytes: Buffer;
}

/** A kept connection ended before the request was written. */
export class StaleConnection extends Error {
  override readonly name = 'StaleConnection';
}

/** `beforeSending` threw its `cause`. */
export class Withheld extends Error {
  override readonly name = 'Withheld';
}

const lengthOf = (body: string | Uint8Array | undefined): Record<string, string> =>
  body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };

/** Firewalls of sellers refuse a request that does not name its program. */
const ourHeaders = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'agent-treasury' };

/** Large, since offers travel in headers. */
const mostHeaderBytes = 64 * 1024;

/**
 * Sends the request once and reads the whole answer; follows no redirect. `beforeSending` runs once the connection
 * stands, in the same turn of the event loop as the write; when it throws, nothing was written.
 * @throws StaleConnection; Withheld; AppError for an answer that is too long; errors of the network as they come
 */
export const sendRequest = (sending: Sending): Promise<OutboundAnswer> =>
  new Promise((resolve, reject) => {
    const { url, target, method, headers, body, signal, begin, agent, lookup, beforeSending } = sending;
    const defaults = target === undefined ? ourHeaders : {};
    let isSent = false;
    let isOver = false;
    let isAnswered = false;
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      ...(target === undefined ? {} : { path: target }),
      method,
      // Without its length, Node leaves a DELETE's body to be read as a second request, of another path.
      headers: { ...defaults, ...headers, ...lengthOf(body) },
      signal,
      agent,
      maxHeaderSize: mostHeaderBytes,
      rejectUnauthorized: true,
      ...(lookup === undefined ? {} : { lookup }),
    });
    const fail = (error: unknown): void => {
      isOver = true;
      const isStale = !isSent && request.reusedSocket;
      reject(isStale ? new StaleConnection('The connection had ended.', { cause: error }) : error);
    };
    request.on('error', fail);
    // Also covers a seller that switches protocols: the connection ends, with no other event.
    request.on('close', () => {
      // The rest of an answer may still be on its way to its sink.
      if (!isAnswered) fail(new Error('The connection ended without an answer.'));
    });
    request.on('response', (response) => {
      isAnswered = isSent;
      if (isSent) return void readAnswer(response, begin(response.statusCode ?? 0)).then(resolve, reject);
      // A seller left it on a kept connection, for the next caller.
      fail(new Error('An answer came before the question.'));
      request.destroy();
    });
    request.once('socket', (socket) =>
      whenReady(request, socket, () => {
        if (isOver) return;
        try {
          beforeSending?.();
        } catch (error) {
          reject(new Withheld('Nothing was sent.', { cause: error }));
          request.destroy();
          return;
        }
        isSent = true;
        request.end(body);
      }),
    );
  });

const readAnswer = async (
  response: IncomingMessage,
  { mostBytes, into, tooLarge, handingOn }: Reading,
): Promise<OutboundAnswer> => {
  const head = headOf(response);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // RFC 9110, section 15. `fetch` could not hand such an answer to its caller.
    if (head.status < 200 || head.status > 599)
      throw new AppError('not_available', `The seller answered ${head.status}, which is no status of HTTP.`);
    if (announcedBytes(response) > mostBytes) throw tooLarge();
    into?.begin?.(head);
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > mostBytes) throw tooLarge();
      if (into === null) chunks.push(chunk);
      else await handingOn(into.write(chunk));
    }
  } catch (error) {
    response.destroy();
    throw error;
  }
  return { ...head, bytes: Buffer.concat(chunks) };
};

/** The answer to HEAD announces the body of a GET. */
const announcedBytes = ({ headers, req }: IncomingMessage & { req?: ClientRequest }): number =>
  req?.method === 'HEAD' ? 0 : Number(headers['content-length'] ?? 0);

const headOf = ({ statusCode = 0, headers }: IncomingMessage): Omit<OutboundAnswer, 'bytes'> => ({
  status: statusCode,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value = '']) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  ),
});
