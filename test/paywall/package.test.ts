// The paywall as an author of a paid API has it: packed, installed in an empty folder without a network, and mounted
// in processes of their own, from which a real treasury buys. And the recipes of build/docs/paywall.md, compiled
// under `strict` and run as printed.
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Keypair, PublicKey } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usdcMints } from '../../server/contract/treasury/networks.ts';
import { associatedTokenAccount } from '../../server/paywall/token-account.ts';
import { freePort } from '../harness/programs/free-port.ts';
import { isLab, kinds } from '../harness/kinds.ts';
import type { Project, Running } from '../harness/programs/packed-package.ts';
import { peerFile, startPeer, type Peer } from '../harness/programs/peers.ts';
import { deploy, instantly, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';
import { mint } from '../x402/market.ts';
import type { Fetched } from './bazaar.ts';
import { installPaywall } from './install-paywall.ts';
import { ask, refused } from './seller.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const wallet = Keypair.generate().publicKey.toBase58();

/** Both ways of mounting it, behind the middleware that usually comes before it. */
const setUp = `
import { createGrantStore, keepRawBody, paywall } from 'agent-treasury-paywall';
const { WALLET, RPC_URL, PORT } = process.env;
const paid = paywall({
  price: '0.02', recipient: WALLET, rpcUrl: RPC_URL, network: 'sandbox', store: createGrantStore('grants.db'),
});
let served = 0;
const say = (server) => server.listen(Number(PORT), '127.0.0.1', () => console.log('ready'));
`;
const sellers: Record<string, string> = {
  'Express 5': `import express from 'express';
${setUp}
const router = express.Router();
router.use(express.json({ verify: keepRawBody }));
router.all('/order', paid, (request, response) => {
  served += 1;
  response.json({ served, body: request.body ?? null, payer: response.locals.payment.payer });
});
say(express().use('/shop', router));`,
  'node:http': `import { createServer } from 'node:http';
${setUp}
say(createServer((request, response) => {
  void paid(request, response, async (error) => {
    if (error !== undefined) return response.writeHead(500).end('{}');
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    served += 1;
    const text = Buffer.concat(chunks).toString();
    const body = text === '' ? null : JSON.parse(text);
    response.end(JSON.stringify({ served, body, payer: request.payment.payer }));
  });
}));`,
};
const names = kinds(Object.keys(sellers));
const recipes = kinds(['express', 'express-4', 'fastify', 'hono', 'next', 'node', 'price']);

let project: Project;
let treasury: Treasury;
let agent: TestAgent;
const ports = new Map<string, number>();
beforeAll(async () => {
  project = await installPaywall();
  for (const name of ['@types', 'undici-types', 'express', '@solana/web3.js', '@solana/spl-token'])
    project.link(name);
  for (const name of [...names, ...recipes, 'found', 'redis']) ports.set(name, await freePort());
  const allowed = [...ports.values()].flatMap((port) => ['--allow-origin', `http://127.0.0.1:${port}`]);
  treasury = await openTreasury({ args: [...instantly, ...allowed] });
  agent = await deploy(treasury.client, 'buyer');
});
afterAll(async () => {
  await treasury.close();
  project.remove();
});

describe('the package', () => {
  it('brings its dependencies, and nothing else', () => {
    expect(project.packages.toSorted()).toEqual([
      'agent-treasury-paywall',
      'better-sqlite3',
      'node-addon-api',
    ]);
    expect(readdirSync(project.installed).toSorted()).toEqual(
      [
        ...types,
        'LICENSE',
        'README.md',
        'THIRD-PARTY.txt',
        'customer.js',
        'index.js',
        'package.json',
      ].toSorted(),
    );
    const code = readFileSync(join(project.installed, 'index.js'), 'utf8');
    const imported = [...code.matchAll(/^import .*? from "([^"]+)";$/gm)].map(([, from = '']) => from);
    // better-sqlite3 is loaded when it is used.
    expect(imported.filter((from) => !from.startsWith('node:'))).toEqual([]);
    expect(code).not.toContain(root);
    expect(readFileSync(join(project.installed, 'README.md'), 'utf8')).toContain('## With Express');
    const licences = readFileSync(join(project.installed, 'THIRD-PARTY.txt'), 'utf8');
    for (const name of ['zod', '@noble/curves', 'bs58', 'canonicalize'])
      expect(licences).toContain(`${name} `);
  });

  it('has types that serve a seller without the repository, and exports what they declare', async () => {
    writeFileSync(join(project.folder, 'use.ts'), use);
    const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'esnext', '--types', 'node'];
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const compiled = promisify(execFile)(process.execPath, [tsc, ...flags, 'use.ts'], {
      cwd: project.folder,
    });
    await compiled.catch(({ stdout }: { stdout: string }) => Promise.reject(new Error(stdout)));
    const { line } = await project.start(
      'names.js',
      "console.log(Object.keys(await import('agent-treasury-paywall')).sort().join())",
      {},
    );
    expect(line).toBe('createGrantStore,discovery,keepRawBody,paywall,readKeyFile');
  });

  it('throws at once for a wrong option', async () => {
    const wrong = [
      ["price: '0'", 'price: must be greater than zero'],
      ["price: '0.1234567'", 'price: must be a decimal string of USDC'],
      ['price: 0.05', 'price: must be a decimal string of USDC'],
      ["recipient: 'me'", 'recipient: must be a Solana address'],
      ["rpcUrl: 'file:///etc/passwd'", 'rpcUrl: must be an http(s) URL'],
      ["network: 'solana'", 'network: must be "sandbox", "devnet" or "mainnet"'],
      ['store: {}', 'store: must be a GrantStore'],
      ["bind: 'no'", 'bind: must be true, false or "optional"'],
      ["maxAgeSeconds: '600'", 'maxAgeSeconds: must be a whole number of at least 1'],
      ["confirmedUpTo: 'all'", 'confirmedUpTo: must be a decimal string of USDC'],
      ['binds: false', 'binds: there is no such option'],
    ] as const;
    const source = `import { createGrantStore, paywall } from 'agent-treasury-paywall';
      const given = { price: '0.02', recipient: '${wallet}', rpcUrl: 'http://127.0.0.1:1', network: 'sandbox' };
      const store = createGrantStore('options.db');
      paywall({ ...given, store, service: undefined });
      const thrownFor = (option) => {
        try {
          paywall({ ...given, store, ...option });
          return 'taken';
        } catch (error) {
          return error.message;
        }
      };
      console.log(JSON.stringify([${wrong.map(([option]) => `{ ${option} }`).join()}].map(thrownFor)));`;
    const { line } = await project.start('options.js', source, {});
    const thrown = JSON.parse(line) as string[];
    for (const [at, [option, words]] of wrong.entries())
      expect(thrown[at], option).toContain(`paywall: ${words}`);
  });
});

/** The exports and the files that they lead to, without files that only the code needs. */
const types = [
  'index',
  'types',
  'invoice-store',
  'dialects',
  'paywall',
  'grant-store',
  'route',
  'discovery',
  'key-file',
  'settling',
].map((name) => `${name}.d.ts`);

/** A seller's code that knows only the package. */
const use = `
import { createServer } from 'node:http';
import { createGrantStore, paywall, type GrantStore, type Payment } from 'agent-treasury-paywall';
const own: GrantStore = {
  async saveInvoice({ id, amount }) { console.log(id, amount + 1n); },
  async findInvoice() { return undefined; },
  isUsed: () => false,
  grant: () => 'granted',
};
const options = { price: '0.05', recipient: '', rpcUrl: '', network: 'mainnet' } as const;
const paid = paywall({ ...options, store: own, log: console });
export const other = paywall({ ...options, store: createGrantStore('a.db'), bind: 'optional' });
// @ts-expect-error a price is no number
export const wrong = () => paywall({ ...options, store: own, price: 0.05 });
createServer((request, response) => {
  void paid(request, response, () => {
    const { payer } = (request as typeof request & { payment: Payment }).payment;
    response.end(payer);
  });
});
`;

/** Buys a receipt for the terms of a 402. */
const buy = async (target: string, init?: RequestInit): Promise<string> => {
  const { body } = await ask(target, null, init);
  const { store } = treasury.host.engine.context;
  const weather = store.services.get('sandbox-weather');
  if (weather === undefined) throw new Error('the sandbox sells the weather');
  store.atomically(() => store.services.upsert({ ...weather, id: 'tea', name: 'Tea', payees: [wallet] }));
  const { amount, currency, invoice } = body;
  const paid = await agent.client.post('/v1/agents/buyer/pay', {
    service: 'tea',
    amount,
    currency,
    invoice,
  });
  expect(paid.status, paid.text).toBe(200);
  return String(paid.body['xPaymentHeader']);
};

describe.each(names)('mounted in %s', (name) => {
  const isExpress = name === 'Express 5';
  let running: Running;
  let url: string;
  const start = async (): Promise<void> => {
    const env = { WALLET: wallet, RPC_URL: treasury.host.rpcUrl, PORT: String(ports.get(name)) };
    running = await project.start(`${isExpress ? 'express' : 'plain'}.js`, sellers[name] ?? '', env);
  };
  beforeAll(async () => {
    url = `http://127.0.0.1:${ports.get(name)}/shop/order?no=1`;
    await start();
  });

  const order = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"tea":1}' };
  it('sells to the treasury’s paid fetch', async () => {
    const { headers, ...request } = order;
    const asked = { ...request, headers, url };
    const bought = await agent.client.post('/v1/agents/buyer/fetch', asked, { key: `buy-${name}` });
    expect(bought.body, bought.text).toMatchObject({
      status: 200,
      payment: { amount: '0.02', status: 'confirmed', dialect: 'receipt' },
    });
    const { body, payer } = JSON.parse(bought.body['body']) as Record<string, unknown>;
    expect({ body, payer }).toEqual({ body: { tea: 1 }, payer: agent.wallet });
  });

  it('serves the paid request once, and no other', async () => {
    const receipt = await buy(url, order);
    const wrong = { status: 402, code: 'wrong_request' };
    expect(refused(await ask(url.replace('no=1', 'no=2'), receipt, order))).toEqual(wrong);
    expect(refused(await ask(url.replace('/shop/order', '/shop/Order'), receipt, order))).toEqual(wrong);
    expect(refused(await ask(url, receipt, { ...order, body: '{"tea":2}' }))).toEqual(wrong);
    expect(refused(await ask(url, receipt, { ...order, body: '{"tea": 1}' }))).toEqual(wrong);
    expect(refused(await ask(url, receipt, { ...order, method: 'PUT' }))).toEqual(wrong);
    expect(refused(await ask(url, receipt))).toEqual(wrong);
    expect((await ask(url, receipt, order)).body).toMatchObject({ body: { tea: 1 }, payer: agent.wallet });
    expect(refused(await ask(url, receipt, order))).toEqual({ status: 402, code: 'already_used' });
  });

  it('serves one of 50 requests with one receipt at once, and none after a restart', async () => {
    const receipt = await buy(url);
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(url, receipt)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const quoted = await buy(url);
    const ended = once(running.child, 'exit');
    running.child.kill('SIGKILL');
    await ended;
    await start();
    expect(refused(await ask(url, receipt))).toEqual({ status: 402, code: 'already_used' });
    // A receipt that was paid and not presented before the crash is still valid.
    expect((await ask(url, quoted)).body).toMatchObject({ served: 1 });
  });
});

it('derives the token account that spl-token derives, for owners on and off the curve', () => {
  for (let index = 0; index < tries(100, 1_000); index += 1) {
    const owner = Keypair.generate().publicKey;
    const [derived] = PublicKey.findProgramAddressSync([owner.toBytes()], mint);
    for (const one of [owner, derived])
      expect(associatedTokenAccount(usdcMints.sandbox, one.toBase58())).toBe(
        getAssociatedTokenAddressSync(mint, one, true).toBase58(),
      );
  }
});

const linkFrameworks = async (): Promise<void> => {
  for (const name of ['fastify', 'hono', '@hono/node-server', 'redis'])
    project.link(name, await peerFile('web', name));
  const modules = join(project.folder, 'express-4/node_modules');
  mkdirSync(modules, { recursive: true });
  symlinkSync(await peerFile('web', 'express-4'), join(modules, 'express'), 'dir');
};

/** A paid body reaches the handler, and no other body is paid for. */
const sellsBodies = async (url: string): Promise<void> => {
  const order = {
    url: `${url}/report`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"subject":"rain"}',
  };
  const bought = await agent.client.post('/v1/agents/buyer/fetch', order, { key: `${url} post` });
  expect(JSON.parse(bought.body['body']), bought.text).toEqual({ report: 'About rain: all is well.' });
};

describe('the recipes of the page', () => {
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
  let mpp: Peer;
  let redis: { port: number; child: ChildProcess } | null = null;
  /** They import packages that only the lab installs. */
  const ofTheLab = ['fastify', 'hono', 'next', 'redis'];

  beforeAll(async () => {
    if (isLab) await linkFrameworks();
    mpp = await startPeer('mpp', 'client', { rpcUrl: treasury.host.rpcUrl, units: '100000000' });
  }, 600_000);
  afterAll(async () => {
    redis?.child.kill('SIGTERM');
    await mpp.end();
  });

  /** Runs a seller of the page. Resolves with its URL. */
  const startRecipe = async (name: string, more: Record<string, string> = {}): Promise<string> => {
    const env = { WALLET: wallet, RPC_URL: treasury.host.rpcUrl, PORT: String(ports.get(name)), ...more };
    if (name === 'next') {
      writeFileSync(join(project.folder, 'next.ts'), block('next'));
      return (await project.start('next-server.js', nextServer, env)).line;
    }
    const file = name === 'express-4' ? 'express-4/seller.ts' : `${name}.ts`;
    return (await project.start(file, block(name === 'express-4' ? 'express' : name), env)).line;
  };

  it('compile under strict', async () => {
    const compiled = [...blocks.keys()];
    expect(compiled.toSorted()).toEqual(
      [
        'express',
        'fastify',
        'found',
        'hono',
        'next',
        'node',
        'own',
        'price',
        'redis',
        'refund',
        'store',
      ].toSorted(),
    );
    for (const [name, code] of blocks) writeFileSync(join(project.folder, `${name}.ts`), code);
    const flags = ['--strict', '--noUncheckedIndexedAccess', '--noEmit', '--skipLibCheck', '--types', 'node'];
    const modern = ['--module', 'nodenext', '--target', 'esnext'];
    const files = compiled.filter((name) => isLab || !ofTheLab.includes(name)).map((name) => `${name}.ts`);
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    await promisify(execFile)(process.execPath, [tsc, ...flags, ...modern, ...files], {
      cwd: project.folder,
    }).catch(({ stdout }: { stdout: string }) => Promise.reject(new Error(stdout)));
  });

  /** What one seller sells, to a treasury and to a client of MPP, once for each payment. */
  const sells = async (url: string): Promise<void> => {
    const bought = await agent.client.post(
      '/v1/agents/buyer/fetch',
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

  it.each(recipes.filter((name) => name !== 'price'))(
    'the recipe for %s sells, also for a body',
    async (name) => {
      const url = await startRecipe(name);
      await sells(url);
      // The page's seller in node:http takes no body.
      if (name !== 'node') await sellsBodies(url);
    },
  );

  it.each(recipes.filter((name) => name === 'price'))(
    'the recipe for a %s that is a function sells at that price, after three free requests',
    async (name) => {
      const url = await startRecipe(name);
      const free = { headers: { 'x-api-key': 'k1' } };
      for (let n = 0; n < 3; n += 1) expect((await ask(url, null, free)).status).toBe(200);
      expect((await ask(url, null, free)).body).toMatchObject({ code: 'payment_required', amount: '0.05' });
      expect((await ask(`${url}/${'x'.repeat(80)}`)).body['amount']).toBe('0.10');
      await sells(url);
    },
  );

  it('the recipe for being found leaves the official judge nothing to say, and sells', async () => {
    const url = await startRecipe('found');
    const program = await peerFile('mpp', 'mppx/dist/bin.js');
    const judged = await promisify(execFile)(process.execPath, [program, 'validate', url, '--output-json']);
    expect(JSON.parse(judged.stdout)).toMatchObject({ summary: { failed: 0, warnings: 0 } });
    await sells(url);
  });

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
      const url = await startRecipe('redis', { REDIS_URL: await startRedis() });
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
});
