// The paywall as an author of a paid API has it: packed, installed in an empty folder without a network, and mounted
// in Express 5 and in plain node:http, in processes of their own, from which a real treasury buys.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Keypair, PublicKey } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usdcMints } from '../../server/contract/treasury/networks.ts';
import { associatedTokenAccount } from '../../server/paywall/token-account.ts';
import { freePort } from '../harness/free-port.ts';
import { kinds } from '../harness/kinds.ts';
import type { Project, Running } from '../harness/packed-package.ts';
import {
  deploy,
  instantly,
  openTreasury,
  rpcCall,
  type TestAgent,
  type Treasury,
} from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';
import { installPaywall } from './install-paywall.ts';
import { mint } from '../x402/market.ts';
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

let project: Project;
let treasury: Treasury;
let agent: TestAgent;
const ports = new Map<string, number>();
beforeAll(async () => {
  project = await installPaywall();
  for (const name of names) ports.set(name, await freePort());
  const allowed = [...ports.values()].flatMap((port) => ['--allow-origin', `http://127.0.0.1:${port}`]);
  treasury = await openTreasury({ args: [...instantly, ...allowed] });
  agent = await deploy(treasury.client, 'buyer');
  await rpcCall(treasury.host.rpcUrl, 'sandbox_fundUsdc', [wallet, '0']);
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
    for (const name of ['@types', 'undici-types']) project.link(name);
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
    expect(line).toBe('createGrantStore,keepRawBody,paywall');
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
const types = ['index', 'types', 'paywall', 'grant-store'].map((name) => `${name}.d.ts`);

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
    for (const needed of isExpress ? ['express'] : []) project.link(needed);
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
