// One HTTP request to the treasury, on this machine or behind its owner's tunnel; its outcome is answered, never sent, or
// lost.
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as TlsAgent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { text } from 'node:stream/consumers';
import { AppError, refusalOf } from '../errors.ts';
import {
  answeredByAnother,
  codeOf,
  isFar,
  isTreasurysRefusal,
  mayBeTreasurys,
  unreachedAt,
  wasNeverSent,
} from './unreached.ts';
import { bareHost } from '../lib/net/bare-host.ts';
import { jsonIn } from '../lib/base64-json.ts';

interface TreasuryRequest {
  method: string;
  url: URL;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
  withinMs: number;
  /** The treasury may hold the reply, so other requests must not queue behind it. */
  isHeld?: boolean;
  /** Aborts the request when its caller gives up. */
  signal?: AbortSignal | undefined;
}

export interface TreasuryAnswer {
  status: number;
  /** Parsed JSON, or a Buffer of anything else. */
  body: unknown;
}

export class Unanswered extends Error {
  override readonly name = 'Unanswered';
  /** The request may have arrived, and may have been carried out. */
  readonly maybeDone: boolean;
  /** It timed out. */
  readonly isLate: boolean;

  /** @param words why, for the caller */
  constructor(words: string, maybeDone: boolean, isLate = false) {
    super(words);
    this.maybeDone = maybeDone;
    this.isLate = isLate;
  }
}

/** Shorter than the treasury's keep-alive: a request on a connection that is being closed would be lost. */
const kept = { keepAlive: true, timeout: 30_000 };
/** The treasury accepts connections one by one: concurrent requests share these. */
const few = new Agent({ ...kept, maxSockets: 4 });
const many = new Agent(kept);
/** A tunnel answers them all. */
const far = new TlsAgent(kept);

/** @throws AppError as the treasury refused it; Unanswered */
export const treasuryRequest = async (request: TreasuryRequest): Promise<TreasuryAnswer> => {
  const { withinMs, signal } = request;
  const ending = new AbortController();
  const end = (): void => ending.abort();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, withinMs);
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted === true) end();
  try {
    const { status, bytes, type } = await send(request, ending.signal);
    if (isFar(request.url.origin) && !mayBeTreasurys(type)) throw another(request.url, status);
    const answer: unknown = type.startsWith('application/json') ? JSON.parse(bytes.toString('utf8')) : bytes;
    if (status >= 200 && status < 300) return { status, body: answer };
    throw refused(request.url, status, answer);
  } catch (error) {
    throw unanswered(request.url, error, isLate);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
};

/** The treasury's own refusals are JSON with a code. */
const refused = (url: URL, status: number, answer: unknown): Error =>
  isTreasurysRefusal(url.origin, answer) ? refusalOf(status, answer) : another(url, status);

const another = ({ origin }: URL, status: number): Unanswered =>
  new Unanswered(answeredByAnother(origin, status), true);

const unanswered = ({ origin }: URL, error: unknown, isLate = false): Error =>
  error instanceof AppError || error instanceof Unanswered
    ? error
    : new Unanswered(unreachedAt(origin, codeOf(error)), !wasNeverSent(error), isLate);

const requestTo = ({ protocol }: URL): typeof httpRequest =>
  protocol === 'https:' ? httpsRequest : httpRequest;

/** Follows no redirects: the API key must not leave. */
const send = (
  { method, url, headers, body, isHeld = false }: TreasuryRequest,
  signal: AbortSignal,
): Promise<{ status: number; bytes: Buffer; type: string }> =>
  new Promise((resolve, reject) => {
    const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body));
    const length =
      bytes === null ? {} : { 'Content-Type': 'application/json', 'Content-Length': bytes.byteLength };
    const agent = isFar(url.origin) ? far : isHeld ? many : few;
    // The certificate is the address's own, whatever Host is named.
    const host = bareHost(url);
    const servername = isIP(host) === 0 ? host : '';
    const options = { method, headers: { ...headers, ...length }, agent, servername, signal };
    const outgoing = requestTo(url)(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          bytes: Buffer.concat(chunks),
          type: response.headers['content-type'] ?? '',
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(bytes ?? undefined);
  });

/** The treasury says something every 15 seconds. */
const silentMs = 40_000;

/**
 * Reads an answer that does not end by itself, piece by piece. Resolves when it has ended.
 * @throws AppError as the treasury refused it; Unanswered
 */
export const treasuryStream = async (
  { url, headers, signal }: Pick<TreasuryRequest, 'url' | 'headers'> & { signal: AbortSignal },
  hear: (piece: string) => void,
): Promise<void> => {
  const outgoing = requestTo(url)(url, { headers, agent: false, signal, timeout: silentMs });
  outgoing.on('timeout', () => outgoing.destroy());
  // After the response has begun, its reader below gets the error.
  outgoing.on('error', () => {});
  outgoing.end();
  try {
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    response.setEncoding('utf8');
    const { statusCode = 0 } = response;
    if (statusCode !== 200) throw refused(url, statusCode, jsonIn(await text(response)));
    for await (const piece of response) hear(String(piece));
  } catch (error) {
    throw unanswered(url, error);
  }
};
