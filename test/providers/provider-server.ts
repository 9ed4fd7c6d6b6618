// A provider on this machine, for one test: it records its requests, and answers as the test says.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { devNull } from 'node:os';
import sharp from 'sharp';
import { createLog, type RootLog } from '../../server/log.ts';
import { createImageProviders, type AllImageProviders } from '../../server/providers/image-providers.ts';

export interface Seen {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

export type Answer = (seen: Seen, response: ServerResponse) => void;

export interface ProviderServer {
  origin: string;
  port: number;
  seen: Seen[];
  /** The requests that cost money. */
  posts(): Seen[];
  answer: Answer;
  close(): Promise<void>;
}

export const startProvider = async (answer: Answer): Promise<ProviderServer> => {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const one = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: text === '' ? null : (JSON.parse(text) as unknown),
      };
      seen.push(one);
      started.answer(one, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const started: ProviderServer = {
    origin: `http://127.0.0.1:${port}`,
    port,
    seen,
    posts: () => seen.filter(({ method }) => method === 'POST'),
    answer,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return started;
};

export const json = (response: ServerResponse, body: unknown, status = 200, headers = {}): void =>
  void response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body));

export const html = (response: ServerResponse, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'text/html' }).end('<html><h1>Hello</h1></html>');

export const file = (response: ServerResponse, bytes: Uint8Array, mediaType = 'image/png'): void =>
  void response.writeHead(200, { 'content-type': mediaType }).end(bytes);

/** Noise, so that it does not compress and a cut is noticed. */
export const pictureOf = (side: number): Promise<Buffer> =>
  sharp({
    create: {
      width: side,
      height: side,
      channels: 3,
      background: '#123456',
      noise: { type: 'gaussian', mean: 128, sigma: 40 },
    },
  })
    .png()
    .toBuffer();

/** A provider's key: wherever else it turns up, it has leaked. */
export const canary = 'sk-canary-6f1d3c9b7a25e840';

type Deps = Parameters<typeof createImageProviders>[0];

/** Providers whose every base URL is `baseUrl`, with a log that can be read. */
export const withKeys = (
  baseUrl: string | null,
  more: Partial<Deps> = {},
): { providers: AllImageProviders; log: RootLog } => {
  const log = createLog('debug', devNull);
  const providers = createImageProviders({
    network: 'mainnet',
    hasKey: () => true,
    keyOf: () => canary,
    settingsOf: () => ({ baseUrl, atOnce: 2 }),
    changes: () => new Map(),
    log,
    ...more,
  });
  return { providers, log };
};

/** Draws with the model of this id. */
export const drawWith = async (
  providers: AllImageProviders,
  modelId: string,
  {
    resolution = '1k',
    signal = AbortSignal.timeout(20_000),
    prompt = 'A lighthouse at dusk',
  }: { resolution?: '1k' | '2k' | '4k'; signal?: AbortSignal; prompt?: string } = {},
): Promise<Uint8Array> => {
  const model = providers.models().find(({ id }) => id === modelId);
  if (model === undefined) throw new Error(`There is no model ${modelId}.`);
  return (await providers.draw(model, { taskId: 'task_1', prompt, resolution }, signal)).bytes;
};
