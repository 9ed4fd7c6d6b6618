// HTTP and websocket on one port, and the websocket also on the next, where web3.js looks for it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

import { AppError } from '../../errors.ts';
import { closerOf } from '../../lib/closing.ts';
import { refuseSocket } from '../../lib/net/refuse-socket.ts';
import type { Log } from '../../log.ts';
import type { Methods } from './context.ts';
import { answer } from './dispatch.ts';
import type { Client, Subscriptions } from './subscriptions.ts';

interface RpcServer {
  readonly port: number;
  close(): Promise<void>;
}

/** A server, and the function that ends it. */
interface Ending {
  server: Server;
  close(): Promise<void>;
}

const host = '127.0.0.1';
const maxBodyBytes = 1_000_000;
const portAttempts = 50;

export const listen = async (
  port: number,
  methods: Methods,
  subscriptions: Subscriptions,
  log: Log,
): Promise<RpcServer> => {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxBodyBytes });
  sockets.on('connection', (socket: WebSocket) => serveSocket(socket, subscriptions, log));
  const create = (): Ending => {
    const server = createServer({ noDelay: true, keepAliveTimeout: 65_000 }, (request, response) =>
      serveRequest(request, response, methods, log),
    );
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      if (!isLocalCaller(request)) return refuseSocket(socket, '403 Forbidden');
      socket.setNoDelay(true);
      sockets.handleUpgrade(request, socket, head, (upgraded) =>
        sockets.emit('connection', upgraded, request),
      );
    });
    return { server, close: closerOf(server, 0) };
  };
  const [main, next] = await listenOnPair(create, port);
  return {
    port: portOf(main.server),
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      await Promise.all([main.close(), next.close()]);
    },
  };
};

const serveRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  methods: Methods,
  log: Log,
): void => {
  const refuse = (status: number, text: string): void =>
    void response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
  if (!isLocalCaller(request)) return refuse(403, 'Only callers of this machine.');
  if (request.method === 'GET' && request.url === '/health') return refuse(200, 'ok');
  if (request.method !== 'POST') {
    return refuse(405, 'Used HTTP Method is not allowed. POST or OPTIONS is required');
  }
  if (!request.headers['content-type']?.startsWith('application/json')) {
    return refuse(415, 'Supplied content type is not allowed. Content-Type: application/json is required');
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
  });
  request.on('end', () => {
    if (bytes > maxBodyBytes) return refuse(413, 'The request is too large.');
    const body = Buffer.from(answer(methods, Buffer.concat(chunks).toString('utf8'), log) ?? '');
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.length,
    });
    response.end(body);
  });
};

const serveSocket = (socket: WebSocket, subscriptions: Subscriptions, log: Log): void => {
  let later: (() => void)[] = [];
  const client: Client = {
    send: (text) => socket.send(text),
    afterAnswer: (run) => later.push(run),
  };
  const methods = subscriptions.methodsFor(client);
  socket.on('message', (data: Buffer) => {
    const text = answer(methods, data.toString('utf8'), log);
    if (text !== null) socket.send(text);
    const due = later;
    later = [];
    for (const run of due) run();
  });
  socket.on('close', () => subscriptions.leave(client));
  socket.on('error', (error) => log.debug({ err: error }, 'a websocket failed'));
};

/** A web page must not reach the sandbox through its visitor's browser, or by a name that resolves to this machine. */
const isLocalCaller = ({ headers }: IncomingMessage): boolean =>
  isLocalHost(headers.host) &&
  (headers.origin === undefined || isLocalHost(headers.origin.replace(/^\w+:\/\//, '')));

const isLocalHost = (name: string | undefined): boolean =>
  name !== undefined && /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(name);

/** Port 0 asks for any two adjacent ports that are both free. */
const listenOnPair = async (create: () => Ending, port: number): Promise<[Ending, Ending]> => {
  for (let attempt = 1; ; attempt++) {
    const main = await open(create(), port);
    try {
      return [main, await open(create(), portOf(main.server) + 1)];
    } catch (error) {
      await main.close();
      if (port !== 0 || attempt === portAttempts) throw error;
    }
  }
};

const open = (ending: Ending, port: number): Promise<Ending> =>
  new Promise((resolve, reject) => {
    const { server } = ending;
    const fail = (cause: Error): void =>
      reject(
        new AppError(
          'not_available',
          `Port ${port} of ${host} cannot be opened: ${cause.message}.`,
          undefined,
          { cause },
        ),
      );
    if (port > 65_535) return fail(new Error('there is no such port'));
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      resolve(ending);
    });
  });

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
