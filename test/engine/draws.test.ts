// Draws on the cold treasury: SIGKILL of the host at each state of one, then a restart, and nothing is drawn twice, lost, or
// left open, and the chain agrees with what the owner is told; and none is sent again once the owner has stopped drawing.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { usdcMints } from '../../server/contract/treasury/networks.ts';
import { associatedTokenAccount } from '../../server/paywall/token-account.ts';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import type { ColdWallet } from '../harness/chain/cold-wallet.ts';
import { killAt } from '../harness/programs/kill-at.ts';
import { liveFromCold } from '../harness/chain/living-cold.ts';
import { createRpcProxy, type Fault, type Proxy } from '../harness/chain/rpc-proxy.ts';
import {
  deploy,
  openTreasury,
  removeFolder,
  openSandbox,
  spawnTreasury,
  temporaryFolder,
  until,
  type Process,
  type TestSandbox,
} from '../harness/treasury.ts';

/** Its account for USDC. */
const accountOf = (owner: string): string => associatedTokenAccount(usdcMints.sandbox, owner);

const one = 1_000_000n;
const dataDir = temporaryFolder();
let sandbox: TestSandbox;
let proxy: Proxy;
let cold: ColdWallet;
let args: string[] = [];
let drawn = 0n;
/** Draws so far. */
let asked = 0;

beforeAll(async () => {
  sandbox = await openSandbox();
  proxy = await createRpcProxy(sandbox.rpcUrl);
  args = ['--rpc', proxy.url, '--ws', `ws://127.0.0.1:${new URL(sandbox.rpcUrl).port}`];
  const treasury = await openTreasury({ dataDir, args });
  await treasury.client.post('/v1/sandbox/faucet', { amount: '10' });
  await deploy(treasury.client, 'mortal', { allocate: null });
  cold = await liveFromCold(treasury, 100n * one);
  await treasury.close();
});
afterAll(async () => {
  await proxy.close();
  await sandbox.close();
  removeFolder(dataDir);
});

const draw = (client: Process['client'], key: string) =>
  client.post('/v1/agents/mortal/allocate', { amount: '1.00' }, { key });

/** Kills the host at this call of the chain, once a new draw's row is on disk. */
const killDrawing = (host: Process, method: string, forwardFirst: boolean): Fault =>
  killAt(host, {
    // The sandbox’s own seller looks at its account too.
    isIt: (called, [account]) =>
      called === method && (called !== 'getAccountInfo' || account === accountOf(cold.address)),
    forwardFirst,
    async isOnDisk() {
      const { body } = await host.client.get('/v1/activity?kind=allocation&limit=100');
      return body['entries'].length > asked;
    },
  }).fault;

const points: [string, string, boolean, number][] = [
  ['reserved, before its last look at the cold account', 'getAccountInfo', false, 502],
  ['reserved, after its last look', 'getAccountInfo', true, 502],
  ['signed, before the bytes reach the chain', 'sendTransaction', false, 200],
  ['sent, after the bytes landed and before the RPC answered', 'sendTransaction', true, 200],
  ['sent and confirmed, before it is looked up', 'getSignatureStatuses', false, 200],
  ['looked up, before what was seen is on disk', 'getSignatureStatuses', true, 200],
];

it.each(points)('SIGKILL while a draw is %s', async (key, method, forwardFirst, status) => {
  const host = await spawnTreasury(dataDir, args);
  proxy.fault = killDrawing(host, method, forwardFirst);
  await draw(host.client, key).catch(() => {});
  await until('the kill', () => host.child.signalCode === 'SIGKILL');
  asked += 1;
  proxy.fault = null;
  const treasury = await openTreasury({ dataDir, args });
  try {
    const { store, funds } = treasury.host.engine.context;
    await until('recovery', () => store.transfers.open().length === 0);
    for (const _ of ['told', 'told again']) expect((await draw(treasury.client, key)).status).toBe(status);
    await until('the rest', () => store.transfers.open().length === 0);
    if (status === 200) drawn += one;
    expect((await cold.account()).allowance).toBe(100n * one - drawn);
    await funds.compare();
    expect(store.cold.get()).toMatchObject({ allowance: 100n * one - drawn, pending: 0n });
    expect(clean(await audit(treasury.host))).toEqual(allWell);
    expect(store.freeze.get()).toBeNull();
  } finally {
    await treasury.close();
  }
});

it('sends no draw again after "Stop drawing", until the owner resumes', async () => {
  const treasury = await openTreasury({ args });
  try {
    const { client, host } = treasury;
    const { store, machine } = host.engine.context;
    await client.post('/v1/sandbox/faucet', { amount: '10' });
    await deploy(client, 'one', { allocate: null });
    const own = await liveFromCold(treasury, 50_000_000n);
    let refused = 0;
    proxy.fault = ({ method, id }, forward) => {
      if (method !== 'sendTransaction') return forward();
      refused += 1;
      return { jsonrpc: '2.0', id, error: { code: -32005, message: 'node is behind' } };
    };
    const drawing = client.post('/v1/agents/one/allocate', { amount: '30.00' });
    await until('the RPC to refuse it', () => refused > 0);
    const [sent] = await until('the draw to be sent', () => {
      const open = store.transfers.open();
      return open[0]?.state === 'sent' && open;
    });
    await client.post('/v1/cold/stop');
    proxy.fault = null;
    proxy.seen.length = 0;
    // Three looks at the chain, each of which would send it again.
    for (let look = 0; look < 3; look += 1) await machine.advance(sent?.id ?? '');
    await until(
      'later looks',
      () => proxy.seen.filter(({ method }) => method === 'getSignatureStatuses').length >= 3,
    );
    expect(proxy.seen.filter(({ method }) => method === 'sendTransaction')).toEqual([]);
    expect((await own.account()).allowance).toBe(50_000_000n);

    await client.post('/v1/cold/resume');
    await drawing;
    await until('the draw to land', async () => (await own.account()).allowance === 20_000_000n);
  } finally {
    await treasury.close();
  }
});
