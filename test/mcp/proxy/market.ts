// A treasury, a chain and paid MCP servers of official make, each a process of its own but the treasury.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import { expect } from 'vitest';
import type { Line, Wire } from './wire.ts';
import { initialize, openWire, proxied } from './wire.ts';
import { installPeer, startPeer, type Peer } from '../../harness/programs/peers.ts';
import {
  deploy,
  openTreasury,
  rpcCall,
  openSandbox,
  until,
  type TestSandbox,
  type TestAgent,
  type Treasury,
} from '../../harness/treasury.ts';
import { envOf } from '../bridge.ts';

export interface Market {
  sandbox: TestSandbox;
  treasury: Treasury;
  agent: TestAgent;
  /** Of the official x402 server. */
  payee: string;
  /** Of the official MPP server. */
  recipient: string;
  /** The commands of the servers. */
  x402: string[];
  mpp: string[];
  /** Settings of the x402 server, for another one like it. */
  x402Server(more: Record<string, unknown>): string[];
  /** An initialized host with the proxy before a server. */
  open(name: string, command: readonly string[]): Promise<Wire>;
  env(): NodeJS.ProcessEnv;
  close(): Promise<void>;
}

/** Resolves once the account can be seen. */
export const newPayee = async (rpcUrl: string): Promise<string> => {
  const payee = Keypair.generate().publicKey.toBase58();
  const signature = await rpcCall(rpcUrl, 'sandbox_fundUsdc', [payee, '0']);
  await until('the account to be confirmed', async () => {
    const { value } = await rpcCall(rpcUrl, 'getSignatureStatuses', [[signature]]);
    return ['confirmed', 'finalized'].includes(value[0]?.confirmationStatus);
  });
  return payee;
};

export const openMarket = async (sandboxArgs: string[] = []): Promise<Market> => {
  const sandbox = await openSandbox(sandboxArgs);
  const { rpcUrl } = sandbox;
  const facilitator: Peer = await startPeer('x402-v2', 'facilitator', { rpcUrl });
  const [x402Folder, mppFolder] = [await installPeer('x402-v2'), await installPeer('mpp')];
  const [payee, recipient] = [await newPayee(rpcUrl), await newPayee(rpcUrl)];
  const feePayer = Keypair.generate();
  await rpcCall(rpcUrl, 'requestAirdrop', [feePayer.publicKey.toBase58(), 10_000_000_000]);
  const treasury = await openTreasury({ args: ['--rpc', rpcUrl, '--ws', rpcUrl.replace('http', 'ws')] });
  await treasury.client.post('/v1/sandbox/faucet', { amount: '100' });
  const agent = await deploy(treasury.client, 'host', {
    dailyBudget: '20.00',
    maxPerPayment: '1.00',
    allocate: '20.00',
  });
  const x402Server = (more: Record<string, unknown>): string[] => [
    process.execPath,
    join(x402Folder, 'mcp-server.mjs'),
    JSON.stringify({ facilitatorUrl: facilitator.says['url'], payTo: payee, ...more }),
  ];
  const mppSettings = {
    rpcUrl,
    recipient,
    feePayer: Buffer.from(feePayer.secretKey.slice(0, 32)).toString('hex'),
    secret: randomBytes(32).toString('base64'),
  };
  const env = (): NodeJS.ProcessEnv => ({
    HOME: process.env['HOME'],
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    ...envOf(agent, { owner: treasury.owner, dataDir: treasury.dataDir }),
  });
  const market: Market = {
    sandbox,
    treasury,
    agent,
    payee,
    recipient,
    x402Server,
    x402: x402Server({}),
    mpp: [process.execPath, join(mppFolder, 'mcp-server.mjs'), JSON.stringify(mppSettings)],
    env,
    async open(name, command) {
      const wire = openWire(proxied('--name', name, '--', ...command), env());
      await initialize(wire);
      return wire;
    },
    async close() {
      await treasury.close();
      await facilitator.end();
      await sandbox.close();
    },
  };
  return market;
};

export const register = async (
  { treasury }: Market,
  name: string,
  command: readonly string[],
): Promise<void> => {
  const { status, text } = await treasury.client.post('/v1/mcp-servers', { name, command });
  expect(status, text).toBe(200);
};

interface Pending {
  approvalId: string;
  hash: string;
  status: string;
  shown: Line;
}

export const pendingOf = async ({ treasury }: Market): Promise<Pending | undefined> => {
  const { approvals } = (await treasury.client.get('/v1/approvals?limit=20')).body as {
    approvals: Pending[];
  };
  return approvals.find(({ status }) => status === 'pending');
};

/** Grants the approval that comes, and returns what it showed. */
export const allow = async (market: Market): Promise<Line> => {
  const pending = await until('an approval to wait', () => pendingOf(market));
  const granted = await market.treasury.client.post(`/v1/approvals/${pending.approvalId}/grant`, {
    hash: pending.hash,
  });
  expect(granted.status, granted.text).toBe(200);
  return pending.shown;
};

export const call = (wire: Wire, name: string, args: Line = {}, meta?: Line): Promise<Line> =>
  wire.ask('tools/call', { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) });

export const textOf = (response: Line): string =>
  String(response['result']?.content?.[0]?.text ?? response['error']?.message ?? '');
