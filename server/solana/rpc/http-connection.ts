// Posts JSON-RPC to one node over HTTP, on connections that stay open.
import http from 'node:http';
import https from 'node:https';
import { bareHost } from '../../lib/net/bare-host.ts';

/** No usable answer came. The message is the cause, as the end of a sentence. */
export class NoAnswer extends Error {}

/** The node refuses for too many requests. `retryAfterMs`: the pause that it names; null: it names none. */
export class Busy extends NoAnswer {
  readonly retryAfterMs: number | null;

  constructor(retryAfterMs: number | null) {
    super('it answers HTTP status 429');
    this.retryAfterMs = retryAfterMs;
  }
}

export interface PostOptions {
  /** A longer answer is refused while it arrives. */
  mostBytes: number;
  /** Ends the request; its reason is why. */
  signal: AbortSignal;
}

/** Posts the text of a request to a node and returns the text of its answer; rejects when there is none. */
interface Connection {
  post(body: string, options: PostOptions): Promise<string>;
  close(): void;
}
export type Connect = (url: string) => Connection;

/** A connection idle for longer may be dead, for example after the machine slept: a new one is opened. */
const keptMs = 30_000;

export const overHttp: Connect = (url) => {
  const target = new URL(url);
  const { Agent, request } = target.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 32, scheduling: 'lifo', timeout: keptMs });
  const options = {
    protocol: target.protocol,
    hostname: bareHost(target),
    port: target.port,
    path: target.pathname + target.search,
    auth: target.username === '' ? undefined : decodeURIComponent(`${target.username}:${target.password}`),
    method: 'POST',
    agent,
  };

  const post = (body: string, { mostBytes, signal }: PostOptions): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const outgoing = request({ ...options, headers }, (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > mostBytes)
            outgoing.destroy(new NoAnswer(`its answer is longer than ${mostBytes / 1_024} KiB`));
          else chunks.push(chunk);
        });
        response.on('error', reject);
        response.on('end', () => {
          if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString('utf8'));
          else if (response.statusCode === 429) reject(new Busy(retryAfter(response.headers['retry-after'])));
          else reject(new NoAnswer(`it answers HTTP status ${response.statusCode}`));
        });
      });
      const abort = (): void => void outgoing.destroy(signal.reason as Error);
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
      outgoing.on('close', () => signal.removeEventListener('abort', abort));
      outgoing.on('error', reject);
      outgoing.end(body);
    });

  return { post, close: () => agent.destroy() };
};

/** Milliseconds. A date is not read: the clocks may differ. */
const retryAfter = (header: string | undefined): number | null =>
  header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : null;
