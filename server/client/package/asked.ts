// A request for a seller, read whole: it may have to be sent again, also by a program that was started again.
import { createHash } from 'node:crypto';
import { isHeaderCompared } from '../../contract/payments/wishes.ts';

export interface Asked {
  method: string;
  url: URL;
  headers: Headers;
  body: Uint8Array<ArrayBuffer> | null;
  redirect: Request['redirect'];
  signal: AbortSignal;
}

/** The header of the most that a request may cost. */
export const maximum = 'x-treasury-max-amount';
const keyHeaders = ['x-treasury-idempotency-key', 'idempotency-key'];

/** The caller named an idempotency key, and keeps it. */
export const hasOwnKey = ({ headers }: Pick<Asked, 'headers'>): boolean =>
  keyHeaders.some((name) => headers.has(name));

/** @throws TypeError as `Request` does, and for what could not be recognized when it is sent again */
export const readAsked = async (
  input: string | URL | Request,
  init: RequestInit | undefined,
  maxAmount: string | undefined,
): Promise<Asked> => {
  const request = new Request(input, init);
  const { method, redirect, signal } = request;
  const url = new URL(request.url);
  if (!/^https?:$/.test(url.protocol))
    throw new TypeError(`url: must begin with https://, not ${url.protocol}`);
  const headers = new Headers(request.headers);
  if (maxAmount !== undefined && !headers.has(maximum)) headers.set(maximum, maxAmount);
  if (/^multipart\//i.test(headers.get('content-type') ?? '') && !hasOwnKey({ headers }))
    throw new TypeError(
      'body: multipart/form-data has another boundary each time, so a repetition would pay again. Name an Idempotency-Key in the headers.',
    );
  const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
  return { method, url, headers, body, redirect, signal };
};

/** Equal for requests that are one purchase: the agent, method, address, body, and headers but those of a single try. */
export const digestOf = ({ method, url, headers, body }: Asked, agentId: string): string => {
  const compared = [...headers].filter(([name]) => isHeaderCompared(name));
  const hash = createHash('sha256').update(JSON.stringify([agentId, method, url.href, compared]));
  return hash.update(body ?? '').digest('hex');
};
