// The SDK's only way to the network for one picture. It asks the provider once, whatever the SDK makes of an answer;
// shows the key to nobody but the provider; and bounds what comes back.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { isPublicAddress, publicLookup } from '../lib/net/public-host.ts';
import type { AppError } from '../errors.ts';
import { failed, refused } from './failure.ts';
import { mostPictureBytes } from './picture-type.ts';
import { bareHost } from '../lib/net/bare-host.ts';

interface ProviderFetchOptions {
  /** The provider's name. */
  name: string;
  baseUrl: string;
  /** Further hosts of its API. */
  siblings: RegExp | undefined;
  /** Matches its JSON when it refuses a prompt in a way that the SDK does not know. */
  refusal: RegExp | undefined;
  signal: AbortSignal;
  lookup?: LookupFunction;
}

const mebibyte = 1024 * 1024;
/** A picture comes as base64 in JSON, with some text around it. */
const mostAnswerBytes = Math.ceil((mostPictureBytes * 4) / 3) + mebibyte;
const keyHeaders = ['authorization', 'x-key', 'x-goog-api-key', 'api-key'];

export const createProviderFetch = (options: ProviderFetchOptions): typeof globalThis.fetch => {
  const { name, baseUrl, siblings, refusal, signal } = options;
  const base = new URL(baseUrl);
  let isAsked = false;

  const ask = async (url: URL, init: RequestInit): Promise<Response> => {
    if (isAsked)
      throw failed(name, 'wanted to be asked a second time for one picture, which could cost twice as much');
    isAsked = true;
    const response = await fetch(url, { ...init, redirect: 'manual' });
    if (response.status < 300 || response.status >= 400) return response;
    await response.body?.cancel();
    throw failed(name, 'sends the request on to another address, where the key does not go');
  };

  /** Polls, or fetches a picture; the SDK follows redirects one by one, and checks each address. */
  const read = (url: URL, init: RequestInit): Promise<Response> => {
    if (url.origin === base.origin) return fetch(url, { ...init, redirect: 'manual' });
    const headers = new Headers(init.headers);
    if (!isSibling(url, siblings)) for (const header of keyHeaders) headers.delete(header);
    if (base.protocol === 'https:' && url.protocol !== 'https:')
      throw failed(name, 'offers its picture over an unprotected connection');
    return readElsewhere(url, headers, options);
  };

  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const isPost = init.method !== undefined && init.method !== 'GET';
    const response = await (isPost ? ask : read)(url, { ...init, signal });
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const answer = bound(response, isJson || isPost ? mostAnswerBytes : mostPictureBytes, name);
    if (refusal === undefined || !isJson) return answer;
    const text = await answer.text();
    if (refusal.test(text)) throw refused(name);
    return new Response(text, answer);
  };
};

/** Whether this is another host of the provider's API, over a protected connection. */
export const isSibling = (url: URL, siblings: RegExp | undefined): boolean =>
  url.protocol === 'https:' && url.port === '' && siblings?.test(url.hostname) === true;

/** The same answer, which fails when it grows too long. */
const bound = (response: Response, mostBytes: number, name: string): Response => {
  const tooLong = (): AppError =>
    failed(name, `answers with more than ${Math.floor(mostBytes / mebibyte)} MiB`);
  const { body, status, headers } = response;
  if (body === null) return response;
  if (Number(headers.get('content-length')) > mostBytes) {
    void body.cancel();
    throw tooLong();
  }
  let size = 0;
  const counted = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (size > mostBytes) throw tooLong();
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted, { status, headers });
};

/** Reads from a host that an answer named; the connection goes to the address that was checked. */
const readElsewhere = (
  url: URL,
  headers: Headers,
  { name, signal, lookup = publicOnly }: ProviderFetchOptions,
): Promise<Response> =>
  new Promise((resolve, reject) => {
    const host = bareHost(url);
    // A literal address is never looked up.
    if (isIP(host) !== 0 && !isPublicAddress(host))
      throw failed(name, 'names an address of a private network');
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(
      url,
      { headers: Object.fromEntries(headers), signal, agent: false, lookup },
      (message) => resolve(asResponse(message)),
    );
    request.on('error', reject);
    request.end();
  });

const asResponse = (message: IncomingMessage): Response => {
  const { statusCode: status = 0, headersDistinct } = message;
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const isEmpty = status === 204 || status === 304;
  if (isEmpty) message.resume();
  // Node's type of a web stream and the global one differ only in name.
  const body = isEmpty ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>);
  return new Response(body, { status, headers });
};

export const publicOnly = publicLookup(() => new Error('The name leads into a private network.'));
