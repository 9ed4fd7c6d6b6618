// An agent with money, a seller, and the `fetch` that pays, anew for each test.
import { readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import {
  createTreasuryFetch,
  type TreasuryFetch,
  type TreasuryFetchOptions,
} from '../../server/client/package/treasury-fetch.ts';
import { hashOfKey, healthProof } from '../../server/contract/host/health-proof.ts';
import { useFolders } from '../harness/folders.ts';
import { openRich, seller, useSeller } from '../harness/seller-treasury.ts';
import { deploy, type TestAgent, type Treasury } from '../harness/treasury.ts';

export let treasury: Treasury;
export let agent: TestAgent;
/** Of idempotency keys. */
export let folder: string;
export let buy: TreasuryFetch;

/** Returns a function that makes folders. */
export const useBuyer = (): (() => string) => {
  const newFolder = useFolders();
  useSeller();
  let n = 0;
  beforeAll(async () => (treasury = await openRich({ proxyHoldMs: 300 })));
  afterAll(() => treasury.close());
  beforeEach(async () => {
    n += 1;
    agent = await deploy(treasury.client, `buyer-${n}`, { allocate: '1.00' });
    folder = newFolder();
    buy = make();
  });
  return newFolder;
};

export const make = (options: TreasuryFetchOptions = {}): TreasuryFetch =>
  createTreasuryFetch({
    url: treasury.host.url,
    agentId: agent.agentId,
    apiKey: agent.key,
    folder,
    ...options,
  });
export const rows = () => [
  ...treasury.host.engine.context.store.transfers.iterate({ agentId: agent.agentId, kinds: ['payment'] }),
];
export const keys = (): string[] => readdirSync(folder);
export const data = (): string => `${seller.url}/data`;

/** The environment of a program that buys for the agent. */
export const environment = (url = treasury.host.url): Record<string, string> => ({
  HOME: folder,
  XDG_CONFIG_HOME: folder,
  TREASURY_URL: url,
  TREASURY_AGENT_ID: agent.agentId,
  TREASURY_API_KEY: agent.key,
});

/** A treasury that proves that it knows the API key, and answers requests as a test says. */
export const pretendTreasury = async (
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  { port = 0, apiKey = agent.key } = {},
) => {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', own());
    response.setHeader('content-type', 'application/json');
    if (pathname === '/v1/health') {
      const proof = healthProof(hashOfKey(apiKey), searchParams.get('nonce') ?? '', own());
      return void response.end(JSON.stringify({ proof }));
    }
    asked.push(request);
    answer(request, response);
  });
  const own = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url: own(), asked, close };
};
