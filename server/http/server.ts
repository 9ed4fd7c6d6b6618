// The HTTP server: 127.0.0.1 only, the guard before anything else, then what the host mounts.
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import express, { type Request, type RequestHandler, type Router } from 'express';
import { AppError } from '../errors.ts';
import { closerOf } from '../lib/closing.ts';
import { forbiddenPort } from '../lib/net/port.ts';
import { refuseSocket } from '../lib/net/refuse-socket.ts';
import type { Log } from '../log.ts';
import { errorHandler } from './errors.ts';
import { checkRequest } from './guard.ts';
import { isProxied } from './proxy/place.ts';

interface HttpOptions {
  port: number;
  /** The public origin of this moment; null: there is no public door. */
  publicUrl: () => string | null;
  log: Log;
}

export interface HttpServer {
  port: number;
  url: string;
  /** Starts to serve these; until then requests are answered 503. */
  mount(parts: readonly { path: string; router: Router | RequestHandler }[]): void;
  close(): Promise<void>;
}

/** Listens at once, so that the port is known. @throws AppError `conflict` when another program has the port */
export const listen = async ({ port, publicUrl, log }: HttpOptions): Promise<HttpServer> => {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.enable('case sensitive routing');
  const server = createServer(
    {
      // The guard rejects a missing Host too, in JSON.
      requireHostHeader: false,
      maxHeaderSize: 16_384,
      headersTimeout: 10_000,
      requestTimeout: 10_000,
      keepAliveTimeout: 60_000,
      noDelay: true,
    },
    app,
  );
  // Event streams and held requests end with the host.
  const close = closerOf(server, 1_000);
  const bound = await bind(server, port);
  server.on('connect', (_request, socket: Socket) => refuseSocket(socket, '501 Not Implemented'));
  app.use((request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    // A browser repeats a request whose kept connection ends before the answer, to whatever has the port by then: with a
    // session, or a passphrase. It repeats none on a connection that it opened for it. Browsers alone send this header.
    if (request.headers['sec-fetch-site'] !== undefined) response.setHeader('Connection', 'close');
    response.locals['door'] = checkRequest(request, { port: bound, publicUrl: publicUrl() });
    // A page of ours may be shown: its address is really this server's.
    response.locals['isOurs'] = true;
    // Express would answer OPTIONS by itself for routes that it knows.
    if (request.method === 'OPTIONS' && !isProxied(request.originalUrl)) throw notFound(request);
    next();
  });
  const routers = express.Router({ caseSensitive: true });
  let mounted = false;
  app.use((request, response, next) => {
    if (!mounted) throw new AppError('halted', 'The treasury is starting. Try again in a moment.');
    routers(request, response, next);
  });
  app.use((request) => {
    throw notFound(request);
  });
  app.use(errorHandler(log));

  return {
    port: bound,
    url: `http://127.0.0.1:${bound}`,
    mount(parts) {
      for (const { path, router } of parts) routers.use(path, router);
      mounted = true;
    },
    close,
  };
};

const notFound = ({ method, path }: Request): AppError =>
  new AppError('not_found', `There is no ${method} ${path}.`);

/** The start looked at the port before. */
const takenMeanwhile = (port: number): AppError =>
  new AppError('conflict', `Another program took port ${port} on 127.0.0.1 just now. Start again.`);

const bind = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EACCES') reject(forbiddenPort(port));
      else if (error.code === 'EADDRINUSE') reject(takenMeanwhile(port));
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
