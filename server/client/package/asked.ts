// A request for a seller, read whole: it may have to be sent again, also by a program that was started again.
import { createHash } from 'node:crypto';
import { isHeaderCompared } from '../../contract/wishes.ts';

export interface Asked {
  method: string;
  url: URL;
  headers: Headers;
  body: Uint8Array<ArrayBuffer> | null;
  redirect: Request['redirect'];
  signal: AbortSignal;
}

const keyHeaders = ['x-treasury-idempotency-key', 'idempotency-key'];

/** The caller named an idempotency key, and keeps it. */
export const hasOwnKey = ({ headers }: Pick<Asked, 'headers'>): boolean =>
  keyHeaders.some((name) => headers.has(name));

/** @throws TypeError as `Request` does, and for what could not be recognised when it is sent again */
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
  if (maxAmount !== undefined && !headers.has('x-treasury-max-amount'))
    headers.set('x-treasury-max-amount', maxAmount);
  if (init?.body instanceof FormData && !hasOwnKey({ headers }))
    throw new TypeError(
      'body: a FormData is sent differently each time, so a repetition would pay again. Name an Idempotency-Key in the headers.',
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

const mostRedirects = 20;

/** The request that a redirect asks for; null when the answer is not one, or is the caller's. @throws TypeError as `fetch` does */
export const redirected = (asked: Asked, response: Response, hops: number): Asked | null => {
  const location = response.headers.get('location');
  if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return null;
  if (asked.redirect === 'manual') return null;
  if (asked.redirect === 'error') throw new TypeError('unexpected redirect');
  if (hops >= mostRedirects) throw new TypeError('redirect count exceeded');
  const url = new URL(location, asked.url);
  const headers = new Headers(asked.headers);
  // A key names one request, and this is another.
  for (const name of keyHeaders) headers.delete(name);
  if (url.origin !== asked.url.origin)
    for (const name of ['authorization', 'cookie', 'proxy-authorization']) headers.delete(name);
  const { status } = response;
  const becomesGet =
    (status === 303 && !['GET', 'HEAD'].includes(asked.method)) ||
    ((status === 301 || status === 302) && asked.method === 'POST');
  if (!becomesGet) return { ...asked, url, headers };
  for (const name of ['content-type', 'content-encoding', 'content-language', 'content-location'])
    headers.delete(name);
  return { ...asked, url, headers, method: 'GET', body: null };
};
