// One request over HTTP: when its bytes leave, and what comes back.
import { request as httpRequest, type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { AppError } from '../errors.ts';

export interface Sending {
  url: URL;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
  signal: AbortSignal;
  mostBytes: number;
  /** False: a connection of its own. */
  agent: Agent | false;
  lookup?: LookupFunction;
  beforeSending?: () => void;
}

export interface OutboundAnswer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  bytes: Buffer;
}

/** The connection was one that had been kept, and it ended before the request was written. */
export class StaleConnection extends Error {
  override readonly name = 'StaleConnection';
}

/** `beforeSending` threw its `cause`. */
export class Withheld extends Error {
  override readonly name = 'Withheld';
}

const lengthOf = (body: string | undefined): Record<string, string> =>
  body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };

const mebibyte = 1024 * 1024;
/** An offer travels in headers. */
const mostHeaderBytes = 64 * 1024;

/**
 * Sends the request once and reads the whole answer; follows nothing. `beforeSending` runs once the connection stands, in
 * the same turn of the event loop as the write; when it throws, nothing was written.
 * @throws StaleConnection; Withheld; AppError `not_available` for too long an answer; errors of the network as they come
 */
export const sendRequest = (sending: Sending): Promise<OutboundAnswer> =>
  new Promise((resolve, reject) => {
    const { url, method, headers, body, signal, mostBytes, agent, lookup, beforeSending } = sending;
    let isSent = false;
    let isOver = false;
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      method,
      // Without its length Node leaves a DELETE's body to be read as a second request, of another path.
      headers: { 'accept-encoding': 'identity', ...headers, ...lengthOf(body) },
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
    // Also when a seller switches protocols, which ends the connection and says nothing else.
    request.on('close', () => fail(new Error('The connection ended without an answer.')));
    request.on('response', (response) => {
      if (isSent) return readAnswer(response, url, mostBytes, resolve, reject);
      // Left on a kept connection by a seller, for whoever asks next.
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

/** Calls back in the turn in which the connection stands: TCP, and with https the checked certificate. */
const whenReady = (request: ClientRequest, socket: Socket, ready: () => void): void => {
  const isTls = socket instanceof TLSSocket;
  if (isTls ? !socket.authorized : socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', ready);
  // A kept connection that the seller has ended shows it once the network was looked at; two turns are a whole look.
  else if (request.reusedSocket) setImmediate(() => setImmediate(ready));
  else ready();
};

const readAnswer = (
  response: IncomingMessage,
  url: URL,
  mostBytes: number,
  resolve: (answer: OutboundAnswer) => void,
  reject: (error: unknown) => void,
): void => {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.byteLength;
    chunks.push(chunk);
    if (size <= mostBytes) return;
    response.destroy();
    reject(new AppError('not_available', `${url.origin} says more than ${mostBytes / mebibyte} MiB.`));
  });
  response.on('error', reject);
  response.on('end', () =>
    resolve({
      status: response.statusCode ?? 0,
      headers: Object.fromEntries(
        Object.entries(response.headers).map(([name, value = '']) => [
          name,
          Array.isArray(value) ? value.join(', ') : value,
        ]),
      ),
      bytes: Buffer.concat(chunks),
    }),
  );
};
