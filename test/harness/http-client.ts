// A plain HTTP client of /v1 on connections that stay open.
import { Agent, request } from 'node:http';

export interface Answer {
  status: number;
  // Tests read replies of every shape.
  body: Record<string, any>; // oxlint-disable-line typescript/no-explicit-any
  text: string;
  headers: Record<string, string | string[] | undefined>;
}

export interface Sent {
  body?: unknown;
  token?: string | null;
  key?: string;
  prefer?: string;
  headers?: Record<string, string>;
  /** Null leaves the owner out; another value is sent in its place. */
  owner?: string | null;
  /** Ends the connection. */
  signal?: AbortSignal;
}

export interface Client {
  call(method: string, path: string, sent?: Sent): Promise<Answer>;
  get(path: string, sent?: Sent): Promise<Answer>;
  post(path: string, body?: unknown, sent?: Sent): Promise<Answer>;
  as(token: string): Client;
  close(): void;
}

export const createClient = (url: string, owner: string, token: string | null, sockets = 64): Client => {
  // Shorter than the host keeps an idle connection: a request on one that is just being closed is lost.
  const agent = new Agent({ keepAlive: true, maxSockets: sockets, timeout: 30_000 });
  const make = (ownToken: string | null): Client => {
    const call: Client['call'] = (method, path, sent = {}) =>
      new Promise((resolve, reject) => {
        const target = new URL(path, url);
        const selected = sent.owner === undefined ? owner : sent.owner;
        if (selected !== null) target.searchParams.set('owner', selected);
        const bearer = sent.token === undefined ? ownToken : sent.token;
        const body = sent.body === undefined ? undefined : JSON.stringify(sent.body);
        const headers = {
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
          ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
          ...(sent.key === undefined ? {} : { 'idempotency-key': sent.key }),
          ...(sent.prefer === undefined ? {} : { prefer: sent.prefer }),
          ...sent.headers,
        };
        const outgoing = request(target, { method, agent, headers, signal: sent.signal }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({ status: response.statusCode ?? 0, body: parse(text), text, headers: response.headers });
          });
        });
        outgoing.on('error', reject);
        outgoing.end(body);
      });
    return {
      call,
      get: (path, sent) => call('GET', path, sent),
      post: (path, body, sent) => call('POST', path, { ...sent, body }),
      as: (other) => make(other),
      close: () => agent.destroy(),
    };
  };
  return make(token);
};

const parse = (text: string): Answer['body'] => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
};
