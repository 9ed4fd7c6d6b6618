// The first check of every request, against DNS rebinding and requests forged by a web page. It compares the raw
// headers: a parsed request hides a second Host and an absolute target.
import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';
import type { Door } from '../lib/net/public-url.ts';
import { isProxied } from './proxy/place.ts';
import { isOfATunnel } from './tunnel-headers.ts';

const refuse = (message: string): AppError => new AppError('forbidden', message);

interface Doors {
  /** The one that is bound, on 127.0.0.1. */
  port: number;
  /** The public origin; null: there is no public door. */
  publicUrl: string | null;
}

/**
 * The door by which a request came. Its host alone shows it. A header by which a tunnel speaks of itself or of its client is
 * never believed; but with the local host it is refused, since some tunnels pass on any host that a client names.
 * @throws AppError `bad_request` or `forbidden`
 */
export const checkRequest = (request: IncomingMessage, doors: Doors): Door => {
  if (request.httpVersion !== '1.1') throw new AppError('bad_request', 'This server speaks HTTP/1.1.');
  if (!isPath(request.url)) throw new AppError('bad_request', 'The request target must be a path in UTF-8.');
  const hosts = headers(request, 'host');
  const [host = '', ...more] = hosts;
  const found = more.length > 0 ? undefined : doorsOf(doors).find(({ hasHost }) => hasHost(host));
  if (found === undefined)
    throw refuse(
      'Host: this server answers to 127.0.0.1, to localhost and to the public address in its settings.',
    );
  const origins = headers(request, 'origin');
  if (origins.length > 1 || origins.some((origin) => !found.origins.includes(origin))) {
    throw refuse('Origin: web pages may not call this server.');
  }
  if (found.door.name === 'local' && !isProxied(request.url ?? '') && cameThroughATunnel(request))
    throw refuse(
      'This request came through a tunnel or a proxy, with the local address as its Host. Use the public address in the settings, and a tunnel that passes the Host header on.',
    );
  return found.door;
};

const cameThroughATunnel = ({ rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.some((text, index) => index % 2 === 0 && isOfATunnel(text.toLowerCase()));

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

interface DoorRule {
  door: Door;
  hasHost(host: string): boolean;
  origins: readonly string[];
}

const doorsOf = ({ port, publicUrl }: Doors): DoorRule[] => {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const local: DoorRule = {
    door: { name: 'local', url: `http://127.0.0.1:${port}` },
    hasHost: (host) => hosts.includes(host),
    origins: hosts.map((host) => `http://${host}`),
  };
  if (publicUrl === null) return [local];
  const publicHost = publicUrl.slice('https://'.length);
  // Proxies pass the name on as a client wrote it. A raw header has no letter whose lower case is in ASCII but ASCII's own.
  const hasHost = (host: string): boolean => host.toLowerCase() === publicHost;
  return [local, { door: { name: 'public', url: publicUrl }, hasHost, origins: [publicUrl] }];
};
