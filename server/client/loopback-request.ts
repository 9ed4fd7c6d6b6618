// One request to the treasury on this machine, with what became of it told apart: answered, never sent, or lost.
import { Agent, request as httpRequest } from 'node:http';
import { AppError, refusalOf } from '../errors.ts';

export interface LoopbackRequest {
  method: string;
  url: URL;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
  withinMs: number;
  /** The treasury may hold the answer: whatever else is asked must not wait behind it. */
  isHeld?: boolean;
  /** Of who no longer wants the answer. */
  signal?: AbortSignal | undefined;
}

export interface LoopbackAnswer {
  status: number;
  /** Parsed, or a Buffer where it is not JSON. */
  body: unknown;
}

/** No answer came. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
  /** It may have arrived, and may have been done. */
  readonly maybeDone: boolean;
  /** Somebody took the connection, and was too slow. */
  readonly isLate: boolean;

  constructor(maybeDone: boolean, isLate = false) {
    super('no answer');
    this.maybeDone = maybeDone;
    this.isLate = isLate;
  }
}

/** Sooner than the treasury lets go of a connection that nobody uses: a call on one that is just being closed is lost. */
const kept = { keepAlive: true, timeout: 30_000 };
/** A treasury takes new connections one by one: many calls at once share these. */
const few = new Agent({ ...kept, maxSockets: 4 });
const many = new Agent(kept);

/** @throws AppError as the treasury refused it; Unanswered */
export const loopbackRequest = async (request: LoopbackRequest): Promise<LoopbackAnswer> => {
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

/** Follows nobody elsewhere: the key must not. */
const send = (
  { method, url, headers, body, isHeld = false }: LoopbackRequest,
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

const neverSent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
