// A gate on the sandbox, before a server that tells what came to it and answers as it is told.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import {
  createServer,
  request as requestHttp,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { readGateFile } from '../../server/gate/file.ts';
import { createGate, type Gate } from '../../server/gate/gate.ts';
import { createGrantStore } from '../../server/paywall/store/grant-store.ts';
import type { KeySigner } from '../../server/paywall/types.ts';
import { closeServer } from '../paywall/seller.ts';
import { signBytes } from '../x402/keys.ts';
import type { Market } from '../x402/market.ts';

export interface Answered {
  status: number;
  message: string;
  raw: string[];
  headers: IncomingMessage['headers'];
  body: Buffer;
  trailers: string[];
}

export interface Asking {
  method?: string;
  headers?: string[];
  body?: Buffer | string;
}

/** One request with exactly this target and these headers. */
export const send = async (origin: string, target: string, asking: Asking = {}): Promise<Answered> => {
  const { hostname, port, host } = new URL(origin);
  const { method = 'GET', headers = [], body } = asking;
  const length = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))];
  const all = ['host', host, ...headers, ...length];
  const asked = requestHttp({ hostname, port, path: target, method, headers: all, agent: false });
  asked.end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return {
    body: await buffer(answer),
    status: answer.statusCode ?? 0,
    message: answer.statusMessage ?? '',
    raw: answer.rawHeaders,
    headers: answer.headers,
    trailers: answer.rawTrailers,
  };
};

export const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export interface Opened {
  origin: string;
  behind: string;
  gate: Gate;
  said: string[];
  /** Serves another file. */
  use(routes: string): void;
  close(): Promise<void>;
}

const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Before an address, or a server of its own. `more`: further lines of its file. `fees`: the key of `settle: self`. */
export const openGate = async (
  market: Market,
  before: RequestListener | string,
  more: string,
  fees: KeySigner | null = null,
): Promise<Opened> => {
  const server = typeof before === 'string' ? null : createServer({ maxHeaderSize: 65_536 }, before);
  if (server !== null) await once(server.listen(0, '127.0.0.1'), 'listening');
  const behind = server === null ? String(before) : addressOf(server);
  const folder = mkdtempSync(join(market.dataDir, 'gate-'));
  const file = join(folder, 'gate.yml');
  const read = (rest: string) => {
    const lines = [
      `recipient: ${market.seller.publicKey.toBase58()}`,
      'network: sandbox',
      `rpcUrl: ${market.rpcUrl}`,
      `upstream: ${behind}`,
      "upstreamHeaders: { x-secret: '${SECRET}' }",
    ];
    writeFileSync(file, `${lines.join('\n')}\n${rest}`);
    return readGateFile(file, { SECRET: 'sesame' });
  };
  const first = read(more);
  const said: string[] = [];
  const store = createGrantStore(join(folder, 'grants.db'));
  const keys = { refunds: (message: Uint8Array) => signBytes(market.seller, message), fees };
  const gate = createGate(first, { store, keys, say: (text) => void said.push(text) });
  gate.server.listen(0, '127.0.0.1');
  await once(gate.server, 'listening');
  return {
    origin: addressOf(gate.server),
    behind,
    gate,
    said,
    use: (rest) => gate.use(read(rest), keys),
    async close() {
      await closeServer(gate.server);
      if (server !== null) await closeServer(server);
      store.close();
    },
  };
};
