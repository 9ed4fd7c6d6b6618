// One HTTP request to the treasury on this machine; its outcome is answered, never sent, or lost.
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { AppError, refusalOf } from '../errors.ts';

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

  constructor(maybeDone: boolean, isLate = false) {
    super('no answer');
    this.maybeDone = maybeDone;
    this.isLate = isLate;
  }
}

/** Shorter than the treasury's keep-alive: a request on a connection that is being closed would be lost. */
const kept = { keepAlive: true, timeout: 30_000 };
/** The treasury accepts connections one by one: concurrent requests share these. */
const few = new Agent({ ...kept, maxSockets: 4 });
const many = new Agent(kept);

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
    const { status, bytes, isJson } = await send(request, ending.signal);
    const answer: unknown = isJson ? JSON.parse(bytes.toString('utf8')) : bytes;
    if (status >= 200 && status < 300) return { status, body: answer };
    throw refusalOf(status, answer);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new Unanswered(!neverSent(error), isLate);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
};

/** Follows no redirects: the API key must not leave. */
const send = (
  { method, url, headers, body, isHeld = false }: TreasuryRequest,
  signal: AbortSignal,
): Promise<{ status: number; bytes: Buffer; isJson: boolean }> =>
  new Promise((resolve, reject) => {
    const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body));
    const length =
      bytes === null ? {} : { 'Content-Type': 'application/json', 'Content-Length': bytes.byteLength };
    const options = { method, headers: { ...headers, ...length }, agent: isHeld ? many : few, signal };
    const outgoing = httpRequest(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          bytes: Buffer.concat(chunks),
          isJson: (response.headers['content-type'] ?? '').startsWith('application/json'),
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
  const outgoing = httpRequest(url, { headers, agent: false, signal, timeout: silentMs });
  outgoing.on('timeout', () => outgoing.destroy());
  // After the response has begun, its reader below gets the error.
  outgoing.on('error', () => {});
  outgoing.end();
  try {
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    response.setEncoding('utf8');
    const { statusCode = 0 } = response;
    if (statusCode !== 200) throw refusalOf(statusCode, JSON.parse(await text(response)));
    for await (const piece of response) hear(String(piece));
  } catch (error) {
    throw error instanceof AppError ? error : new Unanswered(!neverSent(error));
  }
};

const neverSent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
