// One request to the treasury on this machine, with what became of it told apart: answered, never sent, or lost.
import { AppError, refusalOf } from '../errors.ts';

export interface LoopbackRequest {
  method: string;
  url: URL;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
  withinMs: number;
  /** Of who no longer wants the answer. */
  signal?: AbortSignal | undefined;
}

export interface LoopbackAnswer {
  status: number;
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

/** @throws AppError as the treasury refused it; Unanswered */
export const loopbackRequest = async (request: LoopbackRequest): Promise<LoopbackAnswer> => {
  const { method, url, headers, body, withinMs, signal } = request;
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
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // The key must not follow anybody elsewhere.
      redirect: 'error',
      signal: ending.signal,
    });
    const answer: unknown = JSON.parse(await response.text());
    if (response.ok) return { status: response.status, body: answer };
    throw refusalOf(response.status, answer);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new Unanswered(!neverSent(error), isLate);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
};

const neverSent = (error: unknown): boolean => {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === 'ECONNREFUSED' || code === 'UND_ERR_CONNECT_TIMEOUT';
};
