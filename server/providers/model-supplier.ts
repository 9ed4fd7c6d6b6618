// Sends requests to suppliers of language models, each once, with the owner's key. The key goes to the supplier's own
// address in one header, and nothing that holds it comes back.
import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { AskSupplier, SupplierAnswer, SupplierRequest } from '../engine/ports.ts';
import { AppError, invariant } from '../errors.ts';
import { addressFault, addressLookup, type AddressRules } from '../lib/net/supplier-address.ts';
import { whenReady } from '../lib/net/when-ready.ts';

/** Below the 5 s after which many servers end an idle connection. */
const keptMs = 4_000;
const kept = { keepAlive: true, timeout: keptMs, maxFreeSockets: 64 };
const mostHeaderBytes = 64 * 1024;

/** `close` ends all connections. */
export const createModelSender = (rules: AddressRules): { ask: AskSupplier; close(): void } => {
  // A connection to a private address never serves a supplier that must be at a public one.
  const agents = { public: new HttpsAgent(kept), private: new HttpsAgent(kept), plain: new HttpAgent(kept) };
  return {
    async ask(request) {
      const { supplier, path, signal } = request;
      signal.throwIfAborted();
      invariant(/^(\/[a-z0-9_-]+)+$/.test(path), 'the path of a request to a supplier is one of ours');
      const fault = addressFault(supplier, rules);
      if (fault !== null) throw failed(supplier.name, `cannot be asked: its address ${fault}`, false);
      const url = new URL(`${supplier.baseUrl}${path}`);
      const lookup = addressLookup(supplier, rules);
      const make = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const agent =
        url.protocol === 'http:' ? agents.plain : supplier.allowPrivate ? agents.private : agents.public;
      const send = (over: HttpAgent | false): Promise<IncomingMessage> => {
        const asked = make(url, {
          method: request.body === undefined ? 'GET' : 'POST',
          headers: headersOf(request),
          agent: over,
          signal,
          maxHeaderSize: mostHeaderBytes,
          rejectUnauthorized: true,
          ...(lookup === undefined ? {} : { lookup }),
        });
        return sent(asked, request);
      };
      const answer = await send(agent).catch((error: unknown) => {
        if (error instanceof StaleConnection) return send(false);
        throw error;
      });
      return answerOf(answer, request);
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
};

/** A kept connection had ended before anything of the request left. */
class StaleConnection extends Error {}

/** `wasSent`: something of the request may have left. */
const failed = (name: string, what: string, wasSent: boolean, cause?: unknown): AppError =>
  new AppError('not_available', `${name} ${what}.`, { sent: wasSent }, { cause });

/** Those of the connection, those that tell who asks, and those that carry a key or ask for bytes that cannot be searched. */
const dropped =
  /^(host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|keep-alive|cookie2?|forwarded|via|referer|origin|authorization|x-api-key|api-key|x-goog-api-key|accept-encoding|content-encoding|content-type|user-agent|(proxy|x-forwarded|x-real|sec|x-treasury)-.*)$/i;

const headersOf = ({ supplier: { kind }, key, body, headers }: SupplierRequest): Record<string, string> => {
  const passed = Object.entries(headers).filter(([name]) => !dropped.test(name));
  const all: Record<string, string> = {
    accept: '*/*',
    ...Object.fromEntries(passed.map(([name, value]) => [name.toLowerCase(), value])),
    'accept-encoding': 'identity',
    'user-agent': 'agent-treasury',
  };
  if (body !== undefined) {
    all['content-type'] = 'application/json';
    all['content-length'] = String(Buffer.byteLength(body));
  }
  if (kind === 'anthropic') all['anthropic-version'] ??= '2023-06-01';
  if (key !== undefined && kind === 'anthropic') all['x-api-key'] = key;
  else if (key !== undefined) all['authorization'] = `Bearer ${key}`;
  return all;
};

/** Writes the request once its connection stands, and waits for the head of the answer. */
const sent = (asked: ClientRequest, { supplier: { name }, body, signal, beforeSending }: SupplierRequest) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    let isSent = false;
    const fail = (cause: unknown): void => {
      if (signal.aborted) reject(signal.reason);
      else if (isSent) reject(failed(name, 'did not answer: the connection ended', true, cause));
      else
        reject(
          asked.reusedSocket ? new StaleConnection() : failed(name, 'could not be reached', false, cause),
        );
    };
    asked.on('error', fail);
    // Also covers a server that switches protocols: the connection ends, with no other event.
    const ended = (): void => fail(undefined);
    asked.on('close', ended);
    asked.on('response', (answer) => {
      asked.off('close', ended);
      if (isSent) return resolve(answer);
      fail(new Error('An answer came before the question.'));
      asked.destroy();
    });
    asked.once('socket', (socket) =>
      whenReady(asked, socket, () => {
        if (asked.destroyed) return;
        try {
          beforeSending?.();
        } catch (error) {
          reject(error);
          asked.destroy();
          return;
        }
        isSent = true;
        asked.end(body);
      }),
    );
  });

const ofConnection =
  /^(connection|keep-alive|transfer-encoding|upgrade|trailer|set-cookie2?|proxy-.*|alt-svc|strict-transport-security)$/;

const answerOf = (
  message: IncomingMessage,
  { supplier: { name }, key, signal }: SupplierRequest,
): SupplierAnswer => {
  const { statusCode: status = 0, headersDistinct, rawHeaders } = message;
  const refuse = (what: string): never => {
    message.destroy();
    throw failed(name, what, true);
  };
  if (status >= 300 && status < 400)
    refuse('sends the request on to another address, where the key does not go');
  if (status < 200 || status > 599) refuse(`answered ${status}, which is no status of HTTP`);
  if (!['', 'identity'].includes(message.headers['content-encoding'] ?? ''))
    refuse('answered in a compressed form, which was not asked for');
  if (key !== undefined && rawHeaders.some((text) => text.includes(key))) refuse(repeats);
  const headers = Object.entries(headersDistinct).flatMap(([header, values = []]) =>
    ofConnection.test(header) ? [] : [[header, values.join(', ')] as const],
  );
  const whole = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* withoutKey(message as AsyncIterable<Buffer>, key, () => failed(name, repeats, true));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw error instanceof AppError ? error : failed(name, 'broke off its answer', true, error);
    } finally {
      message.destroy();
    }
  };
  return { status, headers: Object.fromEntries(headers), body: whole() };
};

const repeats = 'repeated the owner’s key in its answer, which was cut off there';

/** Passes an answer on, and cuts it before a secret in it, also one that lies across pieces: holds back only bytes that may begin the secret. @throws what `found` makes, once the secret is there */
const withoutKey = async function* (
  pieces: AsyncIterable<Buffer>,
  key: string | undefined,
  found: () => Error,
): AsyncGenerator<Buffer> {
  const secret = Buffer.from(key ?? '');
  let held: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    if (secret.length === 0) {
      yield piece;
      continue;
    }
    const known = held.length === 0 ? piece : Buffer.concat([held, piece]);
    if (known.includes(secret)) throw found();
    const free = known.length - beginningAtEnd(known, secret);
    held = known.subarray(free);
    if (free > 0) yield known.subarray(0, free);
  }
  if (held.length > 0) yield held;
};

/** How many of the last bytes are the first of the secret. */
const beginningAtEnd = (bytes: Buffer, secret: Buffer): number => {
  for (let length = Math.min(secret.length - 1, bytes.length); length > 0; length -= 1)
    if (bytes.subarray(bytes.length - length).equals(secret.subarray(0, length))) return length;
  return 0;
};
