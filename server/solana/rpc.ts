// JSON-RPC to one Solana node over HTTP, on connections that stay open.
import http from 'node:http';
import https from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { RpcState } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import { bareHost } from '../lib/bare-host.ts';

/** The node answered, and its answer was an error: too many requests, or a method that it does not have. */
export class RpcError extends AppError {
  /** The node's own. */
  readonly rpcCode: number;

  constructor(method: string, { code, message, data }: { code: number; message: string; data?: unknown }) {
    const cause = new Error(message, { cause: data });
    const said = `The Solana RPC refused ${method} (error ${code}). Try again, or use another RPC.`;
    super('chain_unreachable', said, { method, rpcCode: code }, { cause });
    this.rpcCode = code;
  }
}

export interface Rpc {
  /**
   * Asks a node that has too many requests again after a pause, twice at most; not where it sends a transaction.
   * @throws AppError `chain_unreachable`: an RpcError for the node's own errors, and when there is no answer, or one that
   * is not of the method's form
   */
  call<T>(method: string, params: readonly unknown[], result: z.ZodType<T>): Promise<T>;
  close(): void;
}

/** One node. */
export interface NodeRpc extends Rpc {
  /** What the calls have shown so far. */
  state(): Omit<RpcState, 'role'>;
}

/** The node has too many requests. `retryAfterMs`: it said when to ask again. */
class Busy extends Error {
  readonly retryAfterMs: number | null;

  constructor(retryAfterMs: number | null) {
    super('it answers HTTP status 429');
    this.retryAfterMs = retryAfterMs;
  }
}

/** The message is the cause, as the end of a sentence. */
class NoAnswer extends Error {}

/** Posts the text of a request to a node and returns the text of its answer; rejects when there is none. */
interface Connection {
  post(body: string): Promise<string>;
  close(): void;
}
export type Connect = (url: string, timeoutMs: number) => Connection;

const answerLimit = 32 * 1024 * 1024;
/** A connection idle for longer may be dead, for example after the machine slept: a new one is opened. */
const keptMs = 30_000;
/** A busy node is asked again after these pauses, or those that it asks for. Somebody may wait for the answer. */
const pausesMs = [500, 1_500];
const longestPauseMs = 4_000;

const overHttp: Connect = (url, timeoutMs) => {
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
    timeout: timeoutMs,
  };

  const post = (body: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        {
          ...options,
          headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        },
        (response) => {
          const chunks: Buffer[] = [];
          let size = 0;
          response.on('data', (chunk: Buffer) => {
            size += chunk.length;
            if (size > answerLimit) outgoing.destroy(new NoAnswer('its answer is too large'));
            else chunks.push(chunk);
          });
          response.on('error', reject);
          response.on('end', () => {
            if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString('utf8'));
            else if (response.statusCode === 429)
              reject(new Busy(retryAfter(response.headers['retry-after'])));
            else reject(new NoAnswer(`it answers HTTP status ${response.statusCode}`));
          });
        },
      );
      outgoing.on('timeout', () =>
        outgoing.destroy(new NoAnswer(`it did not answer within ${timeoutMs / 1_000} seconds`)),
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });

  return { post, close: () => agent.destroy() };
};

/** Milliseconds. A date is not read: the clocks may differ. */
const retryAfter = (header: string | undefined): number | null =>
  header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : null;

/** Some gateways name an error in each answer: null is none. */
const answered = z.object({ id: z.unknown(), result: z.unknown().optional(), error: z.unknown().optional() });
const refusal = z.object({ code: z.number(), message: z.string().catch(''), data: z.unknown().optional() });

/** @param connect over HTTP, unless a test brings its own */
export const createRpc = (url: string, timeoutMs = 10_000, connect: Connect = overHttp): NodeRpc => {
  const { post, close } = connect(url, timeoutMs);
  const closing = new AbortController();
  const outages = watchOutages();
  let lastId = 0;

  /** @throws what `post` does, and for a text that is no answer */
  const ask = async (body: string): Promise<z.infer<typeof answered>> =>
    answered.parse(JSON.parse(await post(body)));

  /** What is sent is sent again by whoever sends it: only he knows whether it is still wanted. */
  const askPatiently = async (method: string, body: string): Promise<z.infer<typeof answered>> => {
    for (const pauseMs of method === 'sendTransaction' ? [] : pausesMs) {
      const answer = await ask(body).catch((error: unknown) => {
        if (error instanceof Busy) return error;
        throw error;
      });
      const isBusy = answer instanceof Busy || refusal.safeParse(answer.error).data?.code === 429;
      if (!isBusy) return answer;
      const wanted = answer instanceof Busy ? answer.retryAfterMs : null;
      const ms = Math.min(wanted ?? pauseMs, longestPauseMs);
      await pause(ms, undefined, { signal: closing.signal, ref: false });
    }
    return ask(body);
  };

  return {
    async call(method, params, result) {
      lastId += 1;
      const id = lastId;
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
      const begun = performance.now();
      const answer = await askPatiently(method, body).catch((error: unknown) => {
        outages.failed(begun, whyOf(error));
        throw unreachable(method, error);
      });
      outages.answered();
      if (answer.error != null) {
        const refused = refusal.safeParse(answer.error);
        throw refused.success ? new RpcError(method, refused.data) : unreachable(method, refused.error);
      }
      const parsed = result.safeParse(answer.result);
      if (answer.id !== id || !parsed.success) throw unreachable(method, parsed.error);
      return parsed.data;
    },
    state: () => ({ host: URL.canParse(url) ? new URL(url).host : url, ...outages.state() }),
    close() {
      closing.abort();
      close();
    },
  };
};

/** Since when no call was answered. A call that fails after a later one was answered is no sign of an outage. */
const watchOutages = () => {
  let answeredAt = -Infinity;
  let outage: { downSince: number; why: string } | null = null;
  return {
    answered(): void {
      answeredAt = performance.now();
      outage = null;
    },
    /** @param begun by the monotonic clock */
    failed(begun: number, why: string): void {
      if (begun >= answeredAt) outage = { downSince: outage?.downSince ?? Date.now(), why };
    },
    state: (): Pick<RpcState, 'downSince' | 'why'> => outage ?? { downSince: null, why: null },
  };
};

const whyOfCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection broke off',
  EPIPE: 'the connection broke off',
  ENOTFOUND: 'no address is known for its name',
  EAI_AGAIN: 'no address is known for its name now',
  ENETUNREACH: 'the network is not reachable',
  EHOSTUNREACH: 'the network is not reachable',
  ETIMEDOUT: 'it did not answer in time',
};

/** The cause of a failed call, as the end of a sentence. It never names the URL. */
const whyOf = (error: unknown): string => {
  if (error instanceof Busy || error instanceof NoAnswer) return error.message;
  if (error instanceof SyntaxError || error instanceof z.ZodError)
    return 'what it answers is no JSON-RPC, perhaps a page of the network that you are in';
  const code = String((error as { code?: unknown } | null)?.code);
  if (/CERT|SSL|TLS|ERR_OSSL/.test(code)) return `its certificate is not accepted (${code})`;
  return whyOfCode[code] ?? 'the connection failed';
};

const unreachable = (method: string, cause: unknown): AppError =>
  new AppError(
    'chain_unreachable',
    `The Solana RPC gave no usable answer to ${method}.`,
    { method },
    { cause },
  );
