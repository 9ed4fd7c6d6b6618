// Requests that leave this machine on somebody's wish: where they may go, how long they may take, how much they may
// bring back. A name is resolved once, and the connection goes to the address that was checked.
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { isPublicAddress, publicLookup } from '../contract/public-address.ts';
import { AppError } from '../errors.ts';

export interface OutboundRequest {
  url: string;
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  signal?: AbortSignal;
}

export interface OutboundAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** @throws AppError `bad_request` for a place where nothing is asked, `not_available` when no usable answer came */
export type Outbound = (request: OutboundRequest) => Promise<OutboundAnswer>;

export interface OutboundOptions {
  /** Origins on this machine that may be asked over plain HTTP all the same. */
  allowOrigins: readonly string[];
  /** This host's own origin: only what lies below `/sandbox/` is asked. */
  ownOrigin: string;
  withinMs?: number;
  mostBytes?: number;
}

const mebibyte = 1024 * 1024;

export const createOutbound = (options: OutboundOptions): Outbound => {
  const { withinMs = 10_000, mostBytes = mebibyte } = options;
  return async ({ url, method = 'GET', headers = {}, body, signal }) => {
    const target = targetOf(url, options);
    const timeout = AbortSignal.timeout(withinMs);
    const ending = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    try {
      return await send(target, { method, headers, body, signal: ending, mostBytes });
    } catch (error) {
      if (error instanceof AppError) throw error;
      const why = timeout.aborted ? `did not answer within ${withinMs / 1_000} s` : 'cannot be reached';
      throw new AppError('not_available', `${target.url.origin} ${why}.`, {}, { cause: error });
    }
  };
};

interface Target {
  url: URL;
  /** On this machine, and meant to be. */
  isAllowed: boolean;
}

const targetOf = (text: string, { allowOrigins, ownOrigin }: OutboundOptions): Target => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.username !== '' || url.password !== '')
    throw new AppError('bad_request', 'url: must be a whole URL without a user name or password.');
  url.hash = '';
  if (url.origin === ownOrigin) {
    if (url.pathname.startsWith('/sandbox/')) return { url, isAllowed: true };
    throw new AppError(
      'bad_request',
      'url: this is the treasury itself, which pays nobody for its own answers.',
    );
  }
  if (allowOrigins.includes(url.origin)) return { url, isAllowed: true };
  if (url.protocol !== 'https:')
    throw new AppError('bad_request', 'url: must be https (on the sandbox, see --allow-origin).');
  return { url, isAllowed: false };
};

interface Sending {
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
  signal: AbortSignal;
  mostBytes: number;
}

const send = ({ url, isAllowed }: Target, sending: Sending): Promise<OutboundAnswer> => {
  const { method, headers, body, signal, mostBytes } = sending;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // A literal address is never looked up.
  if (!isAllowed && isIP(host) !== 0 && !isPublicAddress(host)) return Promise.reject(notPublic(url));
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(
      url,
      {
        method,
        headers: { 'accept-encoding': 'identity', ...headers },
        signal,
        agent: false,
        ...(isAllowed ? {} : { lookup: publicLookup(() => notPublic(url)) }),
      },
      (response) => {
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
            headers: response.headers,
            bytes: Buffer.concat(chunks),
          }),
        );
      },
    );
    request.on('error', reject);
    request.end(body);
  });
};

const notPublic = ({ hostname }: URL): AppError =>
  new AppError('bad_request', `url: ${hostname} is no address of the public internet.`);
