// A web server on this machine that takes notices, and answers as a test tells it to.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The status of the answer; null when there was none. */
  status: number | null;
}

export interface Endpoint {
  url: string;
  /** All requests, also those that it refused. */
  received: Received[];
  /** The webhooks that it took: their ids, in the order of their arrival. */
  taken(): string[];
  /** The status of the next answers; null: it hangs up without one. */
  status: number | null;
  headers: Record<string, string>;
  text: string;
  /** Answers wait for it. */
  gate: Promise<void>;
  close(): Promise<void>;
}

export const openEndpoint = async (): Promise<Endpoint> => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const { status, headers, text, gate } = endpoint;
      const body = Buffer.concat(chunks).toString();
      endpoint.received.push({ path: request.url ?? '', headers: request.headers, body, status });
      void gate.then(() => {
        if (status === null) request.socket.destroy();
        else response.writeHead(status, headers).end(text);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint: Endpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received: [],
    taken: () =>
      endpoint.received
        .filter(({ status }) => status !== null && status >= 200 && status < 300)
        .map(({ headers }) => String(headers['webhook-id'])),
    status: 200,
    headers: {},
    text: '',
    gate: Promise.resolve(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return endpoint;
};

export const newSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`;

export const bodyOf = ({ body }: Received) =>
  JSON.parse(body) as {
    type: string;
    timestamp: string;
    data: {
      id: string;
      agentId: string | null;
      subject: string | null;
      title: string;
      text: string;
      count: number;
    };
    text: string;
    content: string;
  };
