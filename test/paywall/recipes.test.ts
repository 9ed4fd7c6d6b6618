// The recipes of build/docs/paywall.md for web frameworks and stores: compiled under `strict`, and run as printed with
// the package outside the repository. A real treasury and a client of MPP buy from each.
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLab, kinds } from '../harness/kinds.ts';
import { peerFile, startPeer, type Peer } from '../harness/peers.ts';
import {
  deploy,
  instantly,
  openTreasury,
  rpcCall,
  type TestAgent,
  type Treasury,
} from '../harness/treasury.ts';
import { freePort } from '../harness/free-port.ts';
import type { Project } from '../harness/packed-package.ts';
import { installPaywall } from './install-paywall.ts';
import { ask, refused } from './seller.ts';
import type { Fetched } from './bazaar.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'build/docs/paywall.md'), 'utf8');
const blocks = new Map(
  [...page.matchAll(/^```ts (\w+)\n([^]*?)^```$/gm)].map(([, name = '', code = '']) => [name, code]),
);
const block = (name: string): string => {
  const code = blocks.get(name);
  if (code === undefined) throw new Error(`the page has no block ${name}`);
  return code;
};

/** Serves the functions of a route handler, as Next.js would call them. */
const nextServer = `
import { serve } from '@hono/node-server';
import { GET, POST } from './next.ts';
const { PORT } = process.env;
const fetch = (request) => (request.method === 'POST' ? POST(request) : GET(request));
serve({ fetch, port: Number(PORT), hostname: '127.0.0.1' }, () => console.log('http://127.0.0.1:' + PORT));
`;
const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
const wallet = Keypair.generate().publicKey.toBase58();
let project: Project;
let treasury: Treasury;
let agent: TestAgent;
let mpp: Peer;
let redis: { port: number; child: ChildProcess } | null = null;
const recipes = kinds(['express', 'express-4', 'fastify', 'hono', 'next', 'node', 'price']);
const sellers = [...recipes, 'redis'];
/** They import packages that only the lab installs. */
const ofTheLab = ['fastify', 'hono', 'next', 'redis'];
const ports = new Map<string, number>();

beforeAll(async () => {
  project = await installPaywall();
  for (const name of ['express', '@types', 'undici-types', '@solana/web3.js', '@solana/spl-token'])
    project.link(name);
  if (isLab) await linkFrameworks();
  for (const name of sellers) ports.set(name, await freePort());
  const allowed = [...ports.values()].flatMap((port) => ['--allow-origin', `http://127.0.0.1:${port}`]);
  treasury = await openTreasury({ args: [...instantly, ...allowed] });
  agent = await deploy(treasury.client, 'reader');
  const { rpcUrl } = treasury.host;
  await rpcCall(rpcUrl, 'sandbox_fundUsdc', [wallet, '0']);
  mpp = await startPeer('mpp', 'client', { rpcUrl, units: '100000000' });
}, 600_000);
afterAll(async () => {
  redis?.child.kill('SIGTERM');
  await mpp.end();
  await treasury.close();
  project.remove();
});

const linkFrameworks = async (): Promise<void> => {
  for (const name of ['fastify', 'hono', '@hono/node-server', 'redis'])
    project.link(name, await peerFile('web', name));
  const modules = join(project.folder, 'express-4/node_modules');
  mkdirSync(modules, { recursive: true });
  symlinkSync(await peerFile('web', 'express-4'), join(modules, 'express'), 'dir');
};

/** Runs a seller of the page. Resolves with its URL. */
const start = async (name: string, more: Record<string, string> = {}): Promise<string> => {
  const env = { WALLET: wallet, RPC_URL: treasury.host.rpcUrl, PORT: String(ports.get(name)), ...more };
  if (name === 'next') {
    writeFileSync(join(project.folder, 'next.ts'), block('next'));
    return (await project.start('next-server.js', nextServer, env)).line;
  }
  const file = name === 'express-4' ? 'express-4/seller.ts' : `${name}.ts`;
  return (await project.start(file, block(name === 'express-4' ? 'express' : name), env)).line;
};

it('compile under strict', async () => {
  const names = [...blocks.keys()];
  expect(names.toSorted()).toEqual(
    ['express', 'fastify', 'hono', 'next', 'node', 'own', 'price', 'redis', 'refund', 'store'].toSorted(),
  );
  for (const [name, code] of blocks) writeFileSync(join(project.folder, `${name}.ts`), code);
  const flags = ['--strict', '--noUncheckedIndexedAccess', '--noEmit', '--skipLibCheck', '--types', 'node'];
  const modern = ['--module', 'nodenext', '--target', 'esnext'];
  const files = names.filter((name) => isLab || !ofTheLab.includes(name)).map((name) => `${name}.ts`);
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, ...flags, ...modern, ...files], {
    cwd: project.folder,
  }).catch(({ stdout }: { stdout: string }) => Promise.reject(new Error(stdout)));
});

/** What one seller sells, to a treasury and to a client of MPP, once for each payment. */
const sells = async (url: string): Promise<void> => {
  const bought = await agent.client.post(
    '/v1/agents/reader/fetch',
    { url: `${url}/report?week=46` },
    { key: url },
  );
  expect(bought.body, bought.text).toMatchObject({
    status: 200,
    payment: { amount: '0.05', dialect: 'receipt' },
  });
  expect(JSON.parse(bought.body['body'])).toMatchObject({ report: 'All is well.' });
  const { status, body, settlement, sent } = await mpp.ask<Fetched>(`${url}/report?week=47`);
  expect(status, body).toBe(200);
  expect(JSON.parse(body)).toMatchObject({ report: 'All is well.' });
  expect(settlement).toMatchObject({ status: 'success', method: 'solana' });
  const headers = { authorization: sent['authorization'] ?? '' };
  const again = Array.from({ length: 20 }, () => ask(`${url}/report?week=47`, null, { headers }));
  for (const answer of await Promise.all(again))
    expect(refused(answer)).toEqual({ status: 402, code: 'already_used' });
};

/** A paid body reaches the handler, and no other body is paid for. */
const sellsBodies = async (url: string): Promise<void> => {
  const order = {
    url: `${url}/report`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"subject":"rain"}',
  };
  const bought = await agent.client.post('/v1/agents/reader/fetch', order, { key: `${url} post` });
  expect(JSON.parse(bought.body['body']), bought.text).toEqual({ report: 'About rain: all is well.' });
};

it.each(recipes.filter((name) => name !== 'price'))(
  'the recipe for %s sells, also for a body',
  async (name) => {
    const url = await start(name);
    await sells(url);
    // The page's seller in node:http takes no body.
    if (name !== 'node') await sellsBodies(url);
  },
);

it.each(recipes.filter((name) => name === 'price'))(
  'the recipe for a %s that is a function sells at that price, after three free requests',
  async (name) => {
    const url = await start(name);
    const free = { headers: { 'x-api-key': 'k1' } };
    for (let n = 0; n < 3; n += 1) expect((await ask(url, null, free)).status).toBe(200);
    expect((await ask(url, null, free)).body).toMatchObject({ code: 'payment_required', amount: '0.05' });
    expect((await ask(`${url}/${'x'.repeat(80)}`)).body['amount']).toBe('0.10');
    await sells(url);
  },
);

/** Redis on a free port, with the settings that the page asks for. */
const startRedis = async (): Promise<string> => {
  if (redis === null) {
    const port = await freePort();
    const settings = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
    const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', project.folder];
    const child = spawn('redis-server', [...place, ...settings], { stdio: ['ignore', 'pipe', 'inherit'] });
    redis = { port, child };
    for await (const chunk of child.stdout as AsyncIterable<Buffer>)
      if (chunk.toString().includes('Ready to accept')) break;
    child.stdout?.resume();
  }
  return `redis://127.0.0.1:${redis.port}`;
};

const withRedis = isLab ? describe.skipIf(!hasRedis) : () => {};
withRedis('the recipe for Redis (skipped where redis-server is not installed)', () => {
  it('sells', async () => {
    const url = await start('redis', { REDIS_URL: await startRedis() });
    await sells(url);
  });

  it('keeps the promises of a store', async () => {
    // The store of the page, driven by the test itself.
    const code = block('redis')
      .replace(/const paid = paywall[^]*/, '')
      .replace(', paywall', '');
    const drive = `${code}
const grant = { paymentId: 'p', payer: 'w', amount: 5n, grantedAt: 1 };
const found = { txSignature: 'a', refundSignature: 'r1', wire: 'w', lastValidBlockHeight: 7 };
await store.saveInvoice({ id: 'i1', method: 'GET', url: '/', bodySha256: 'b', amount: 5n, recipient: 'r', expiresAt: Date.now() });
const until = Date.now() + 60_000;
const free = await Promise.all(Array.from({ length: 50 }, () => store.takeFree({ payer: 'bob', until, most: 10 })));
console.log(JSON.stringify({
  invoice: String((await store.findInvoice('i1'))?.amount), none: (await store.findInvoice('i2')) ?? null,
  grants: await Promise.all(Array.from({ length: 20 }, () => store.grant({ ...grant, txSignature: 'a', invoice: 'i' }))),
  second: await store.grant({ ...grant, txSignature: 'b', invoice: 'i' }),
  loose: [await store.grant({ ...grant, txSignature: 'c', invoice: null }), await store.grant({ ...grant, txSignature: 'd', invoice: null })],
  used: [await store.isUsed('a'), await store.isUsed('b'), await store.isInvoiceUsed('i'), await store.isInvoiceUsed('j')],
  free: free.filter(Boolean).length,
  refunds: (await Promise.all(Array.from({ length: 20 }, () => store.saveRefund(found, null)))).filter(Boolean).length,
  wrong: await store.saveRefund({ ...found, refundSignature: 'r2' }, 'r9'),
  right: await store.saveRefund({ ...found, refundSignature: 'r2' }, 'r1'),
  landed: await store.saveRefund({ ...found, refundSignature: 'r2', landed: true }, 'r2'),
  settled: [await store.saveSettled({ message: 'm', txSignature: 't', until }), await store.findSettled('m'), await store.findSettled('n')].map(String),
  kept: await store.findRefund('a'), noRefund: (await store.findRefund('b')) ?? null,
}));
await redis.close();`;
    const { line } = await project.start('drive-redis.ts', drive, { REDIS_URL: await startRedis() });
    const { grants, ...told } = JSON.parse(line) as { grants: string[] };
    expect(grants.filter((outcome) => outcome === 'granted')).toHaveLength(1);
    expect(new Set(grants)).toEqual(new Set(['granted', 'transaction_used']));
    expect(told).toEqual({
      invoice: '5',
      none: null,
      second: 'invoice_used',
      loose: ['granted', 'granted'],
      used: [true, false, true, false],
      free: 10,
      refunds: 1,
      wrong: false,
      right: true,
      landed: true,
      settled: ['undefined', 't', 'undefined'],
      kept: { txSignature: 'a', refundSignature: 'r2', wire: 'w', lastValidBlockHeight: 7, landed: true },
      noRefund: null,
    });
  });
});
