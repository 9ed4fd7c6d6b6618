// The first check of every request, against DNS rebinding and requests forged by a web page. It compares the raw
// headers: a parsed request hides a second Host and an absolute target.
import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';
import { isProxied } from './proxy/place.ts';

const refuse = (message: string): AppError => new AppError('forbidden', message);

/** @throws AppError `bad_request` or `forbidden` */
export const checkRequest = (request: IncomingMessage, port: number): void => {
  if (request.httpVersion !== '1.1') throw new AppError('bad_request', 'This server speaks HTTP/1.1.');
  if (!isPath(request.url)) throw new AppError('bad_request', 'The request target must be a path in UTF-8.');
  const hosts = headers(request, 'host');
  if (hosts.length !== 1 || !isOurs(hosts[0], port))
    throw refuse('Host: this server answers to 127.0.0.1 and localhost only.');
  const origins = headers(request, 'origin');
  if (origins.length > 1 || origins.some((origin) => !isDashboard(origin, port))) {
    throw refuse('Origin: web pages may not call this server.');
  }
};

const isPath = (target: string | undefined): boolean => {
  if (target?.startsWith('/') !== true) return false;
  // The rest of such a path is the seller's.
  if (isProxied(target)) return true;
  try {
    decodeURIComponent(target.replace(/\?.*/s, ''));
    return true;
  } catch {
    return false;
  }
};

const headers = ({ rawHeaders }: IncomingMessage, name: string): string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);

const isOurs = (host: string | undefined, port: number): boolean =>
  host === `127.0.0.1:${port}` || host === `localhost:${port}`;

const isDashboard = (origin: string, port: number): boolean =>
  origin === `http://127.0.0.1:${port}` || origin === `http://localhost:${port}`;
