// The network that a start finds. A treasury belongs to one chain: otherwise another RPC could have a payment of play money
// signed for real. While the RPC cannot be used, the treasury comes up, shows its records, stops, pays nothing, and goes on
// by itself once the RPC serves its own chain.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deploy,
  openSandbox,
  openTreasury,
  removeFolder,
  rpcCall,
  temporaryFolder,
  until,
  type TestSandbox,
  type Treasury,
} from '../harness/treasury.ts';
import {
  hidesKeychain,
  openInside,
  openMainnet,
  passphrase,
  refusedInside,
  type Mainnet,
} from './support.ts';

const mainnetGenesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const [sandboxDir, mainnetDir] = [temporaryFolder(), temporaryFolder()];
let mainnet: Mainnet;
beforeAll(async () => {
  mainnet = await openMainnet();
  const played = await openTreasury({ dataDir: sandboxDir, args: mainnet.sandboxArgs });
  await played.close();
  if (!hidesKeychain) return;
  const real = await openInside(mainnetDir, mainnet.args);
  await real.close();
});
afterAll(async () => {
  await mainnet.close();
  for (const path of [sandboxDir, mainnetDir]) removeFolder(path);
});

const rootsOf = (dataDir: string): string[] =>
  readdirSync(dataDir)
    .flatMap((network) => readdirSync(join(dataDir, network)).map((file) => join(dataDir, network, file)))
    .filter((file) => file.endsWith('vault-root.json'))
    .map((file) => readFileSync(file, 'utf8'));

/** The start is refused with the reason, after no other request than for the chain's genesis; the root is unchanged. */
const refused = async (dataDir: string, args: readonly string[], sentence: string) => {
  const roots = rootsOf(dataDir);
  const before = mainnet.proxy.seen.length;
  const said = await refusedInside(dataDir, [...args, '--passphrase-fd', '3'], [passphrase]);
  expect(said).toContain(sentence);
  const asked = mainnet.proxy.seen.slice(before).map(({ method }) => method);
  // The fee of a transfer is looked up from the first moment, even on a chain that turns out to be another.
  expect(asked.filter((method) => method !== 'getRecentPrioritizationFees')).toEqual(
    asked.length > 0 ? ['getGenesisHash'] : [],
  );
  expect(rootsOf(dataDir)).toEqual(roots);
};

const network = (name: string, { args }: Pick<Mainnet, 'args'>): string[] => [
  '--network',
  name,
  ...args.slice(2),
];

describe('a start on another chain than the treasury’s own is refused:', () => {
  it('a sandbox on mainnet', () =>
    refused(
      sandboxDir,
      network('sandbox', mainnet),
      `another chain than the one this treasury belongs to (genesis hash ${mainnetGenesis}`,
    ));

  it('a new sandbox on mainnet', async () => {
    const dataDir = temporaryFolder();
    const said = await refusedInside(dataDir, network('sandbox', mainnet));
    expect(said).toContain('This RPC does not serve sandbox');
    removeFolder(dataDir);
  });

  it('a sandbox on another sandbox', async () => {
    const other = await openSandbox();
    await refused(sandboxDir, ['--rpc', other.rpcUrl], 'another chain than the one this treasury belongs to');
    await other.close();
  });

  it.skipIf(!hidesKeychain)('mainnet on a sandbox', () =>
    refused(
      mainnetDir,
      ['--network', 'mainnet', ...mainnet.sandboxArgs],
      `another chain than the one this treasury belongs to`,
    ),
  );

  it.skipIf(!hidesKeychain)('a new mainnet on a sandbox', async () => {
    const dataDir = temporaryFolder();
    const args = ['--network', 'mainnet', ...mainnet.sandboxArgs, '--passphrase-fd', '3'];
    const said = await refusedInside(dataDir, args, [passphrase]);
    expect(said).toContain('This RPC does not serve mainnet');
    removeFolder(dataDir);
  });

  it.skipIf(!hidesKeychain)('a devnet on mainnet', async () => {
    const dataDir = temporaryFolder();
    const args = [...network('devnet', mainnet), '--passphrase-fd', '3'];
    const said = await refusedInside(dataDir, args, [passphrase]);
    expect(said).toContain('This RPC does not serve devnet');
    removeFolder(dataDir);
  });
});

const devnetGenesis = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrtBG';
const dataDir = temporaryFolder();

interface Failure {
  answer: (response: ServerResponse) => void;
  why: RegExp;
}

/** How an RPC fails, by name, and what the treasury says about it. */
const failures = {
  down: { answer: (response) => void response.destroy(), why: /connection/ },
  limited: { answer: (response) => void response.writeHead(429).end(), why: /HTTP status 429/ },
  'refusing the key': { answer: (response) => void response.writeHead(401).end(), why: /HTTP status 401/ },
  'behind a login page': {
    answer: (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Wi-Fi'),
    why: /no JSON-RPC/,
  },
  silent: { answer: () => {}, why: /has not answered yet|did not answer/ },
} satisfies Record<string, Failure>;

let sandbox: TestSandbox;
let failure: ((response: ServerResponse) => void) | null = null;
let genesis: string | null = null;
/** The method whose requests are cut off. */
let lost: string | null = null;
let starts = 0;
let asked: string[] = [];

const rpc = createServer((request, response) => {
  // Another treasury may look here for the WebSocket of its RPC, which is at the RPC's port + 1.
  if (request.method !== 'POST') return void response.destroy();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    // A request of the host before may still arrive.
    if (request.url?.startsWith(`/${starts}/`)) asked.push(method);
    if (failure !== null) return failure(response);
    if (method === lost) return void response.destroy();
    const answer =
      method === 'getGenesisHash' && genesis !== null
        ? Promise.resolve(genesis)
        : rpcCall(sandbox.rpcUrl, method, params);
    void answer.then(
      (result: unknown) => response.end(JSON.stringify({ jsonrpc: '2.0', id, result })),
      () => response.destroy(),
    );
  });
});

const start = ({ withSecond = false } = {}): Promise<Treasury> => {
  asked = [];
  starts += 1;
  const rpcUrl = `http://127.0.0.1:${(rpc.address() as AddressInfo).port}/${starts}/`;
  const second = withSecond ? ['--second-rpc', `${rpcUrl}second`] : [];
  return openTreasury({ dataDir, args: ['--rpc', rpcUrl, '--ws', 'ws://127.0.0.1:9', ...second] });
};

beforeAll(async () => {
  sandbox = await openSandbox();
  await new Promise<void>((resolve) => rpc.listen(0, '127.0.0.1', resolve));
  const treasury = await start();
  await treasury.client.post('/v1/sandbox/faucet', { amount: '50' });
  await deploy(treasury.client, 'scout', { allocate: '20.00' });
  await treasury.close();
});
afterAll(async () => {
  rpc.closeAllConnections();
  rpc.close();
  await sandbox.close();
  removeFolder(dataDir);
});

const outageOf = async ({ client }: Treasury) => (await client.get('/v1/dashboard')).body['outage'];
const isReached = (treasury: Treasury) =>
  until('the network', async () => (await outageOf(treasury)) === null);
const allocate = ({ client }: Treasury) => client.post('/v1/agents/scout/allocate', { amount: '1.00' });

describe('a start with an RPC that is', () => {
  for (const [name, { answer, why }] of Object.entries(failures))
    it(`${name} comes up, pays nothing, and goes on once the RPC answers`, async () => {
      failure = answer;
      const treasury = await start();
      try {
        const { body } = await treasury.client.get('/v1/dashboard');
        expect(body['agents']).toMatchObject([{ agentId: 'scout' }]);
        const waits = { isStarting: true, rpcs: [{ host: expect.any(String), why: expect.any(String) }] };
        expect(body['outage']).toMatchObject(waits);
        await until('the reason', async () => why.test((await outageOf(treasury)).rpcs[0].why));
        const held = await allocate(treasury);
        expect([held.status, held.body['code']]).toEqual([503, 'chain_unreachable']);
        expect(held.body['error']).toContain('no money was moved');
        expect((await treasury.client.post('/v1/agents/scout/kill', {})).status).toBe(200);
        expect((await treasury.client.post('/v1/agents/scout/resume', {})).status).toBe(200);
        expect([...new Set(asked)]).toEqual(['getGenesisHash']);
        failure = null;
        await isReached(treasury);
        expect((await allocate(treasury)).status).toBe(200);
      } finally {
        failure = null;
        await treasury.close();
      }
    });

  it.each([
    ['is asked alone', false],
    ['has a second beside it', true],
  ])(
    'down, %s, and then serves another chain, goes on waiting and names that chain',
    async (_, withSecond) => {
      const before = await start();
      lost = 'sendTransaction';
      const { body } = await before.client.post(
        '/v1/agents/scout/allocate',
        { amount: '1.00' },
        { headers: { prefer: 'wait=0' } },
      );
      expect(body['status']).toBe('pending');
      await before.close();
      lost = null;
      failure = failures.down.answer;
      const treasury = await start({ withSecond });
      expect((await outageOf(treasury)).held).toEqual({ transfers: 1, amount: '1.00' });
      genesis = devnetGenesis;
      failure = null;
      await until('the other chain', async () => /devnet/.test((await outageOf(treasury)).rpcs[0].why));
      expect((await allocate(treasury)).body['code']).toBe('chain_unreachable');
      expect([...new Set(asked)]).toEqual(['getGenesisHash']);
      genesis = null;
      await isReached(treasury);
      await until('the transfer that was held', async () => {
        const { body: now } = await treasury.client.get(`/v1/transfers/${body['transferId']}`);
        return now['status'] === 'confirmed';
      });
      await treasury.close();
    },
  );

  it('down at the first start of all is refused, with host, reason and next step', async () => {
    failure = failures.limited.answer;
    const { port } = rpc.address() as AddressInfo;
    const folder = temporaryFolder();
    await expect(
      openTreasury({
        dataDir: folder,
        args: ['--rpc', `http://127.0.0.1:${port}`, '--ws', 'ws://127.0.0.1:9'],
      }),
    ).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`127.0.0.1:${port} .*HTTP status 429.*Wait a minute`)),
    });
    failure = null;
    removeFolder(folder);
  });
});
