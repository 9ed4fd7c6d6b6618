// An agent with money, a seller, and the `fetch` that pays, anew for each test.
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import {
  createTreasuryFetch,
  type TreasuryFetch,
  type TreasuryFetchOptions,
} from '../../server/client/package/treasury-fetch.ts';
import { useFolders } from '../harness/folders.ts';
import { pretendTreasury as pretend } from '../harness/programs/pretended-treasury.ts';
import { openRich, seller, useSeller } from '../harness/chain/seller-treasury.ts';
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

/** A program that knows the agent's API key. */
export const pretendTreasury = (
  answer: Parameters<typeof pretend>[0],
  more: Parameters<typeof pretend>[1] = {},
) => pretend(answer, { apiKey: agent.key, ...more });
