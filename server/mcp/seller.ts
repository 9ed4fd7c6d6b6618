// Asking a paid API, within bounds: where it may be, how long it may take, how much it may say.
import type { Place } from '../client/locate.ts';
import { AppError } from '../errors.ts';

export interface SellerRequest {
  url: URL;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
}

export interface SellerAnswer {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

const answersWithinMs = 10_000;
const mostBytes = 1024 * 1024;
/** The connection's own, and the one that pays. */
const notTheirs = /^(host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|x-payment)$/i;

/** @throws AppError `bad_request` when the treasury does not pay there */
export const sellerUrl = (text: string, place: Place): URL => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.username !== '' || url.password !== '')
    throw new AppError('bad_request', 'url: must be a whole URL without a user name or password.');
  url.hash = '';
  if (url.protocol === 'https:') return url;
  // The treasury's own sandbox exists on the sandbox network alone.
  const isOwn = url.origin === place.url;
  const isLocal = url.protocol === 'http:' && url.hostname === '127.0.0.1';
  if (isOwn ? url.pathname.startsWith('/sandbox/') : isLocal && place.network === 'sandbox') return url;
  throw new AppError('bad_request', 'url: must be https, or on the sandbox network http://127.0.0.1.');
};

export const sellerHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const refusedName = Object.keys(headers).find((name) => notTheirs.test(name));
  if (refusedName !== undefined)
    throw new AppError('bad_request', `headers: ${refusedName} is set by the bridge itself.`);
  return { ...headers };
};

/** @throws AppError `not_available` when no usable answer came */
export const askSeller = async (
  { url, method, headers, body }: SellerRequest,
  signal: AbortSignal,
): Promise<SellerAnswer> => {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  const timer = setTimeout(end, answersWithinMs);
  signal.addEventListener('abort', end, { once: true });
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: ending.signal,
    });
    return { status: response.status, headers: response.headers, bytes: await read(response) };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const why = ending.signal.aborted
      ? `did not answer within ${answersWithinMs / 1_000} s`
      : 'cannot be reached';
    throw new AppError('not_available', `The seller at ${url.origin} ${why}.`, { seller: 'unreachable' });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
};

const read = async (response: Response): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > mostBytes)
      throw new AppError(
        'not_available',
        'The seller says more than 1 MiB, which is too much for this tool.',
        {
          seller: 'too_large',
        },
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};
