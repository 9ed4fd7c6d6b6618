// A quarter of a seller's answers are lost, before or after it settled, and the host is killed again and again: each
// payment lands at most once, and every unit is accounted for. LOST_ANSWERS_PAYMENTS sets the number of payments.
import { randomInt } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Keypair, VersionedTransaction } from '@solana/web3.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { usdcMints } from '../../server/contract/treasury/networks.ts';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import { createClient, type Answer } from '../harness/http-client.ts';
import {
  deploy,
  openTreasury,
  removeFolder,
  rpcCall,
  openSandbox,
  spawnTreasury,
  temporaryFolder,
  until,
  type Process,
  type TestSandbox,
} from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';
import { debitsOf } from './official/shop.ts';

const payments = Number(process.env['LOST_ANSWERS_PAYMENTS'] ?? tries(20, 300));
const kills = tries(2, 20);
const atOnce = 16;
const units = 1_000n;

const seed = randomInt(1, 2 ** 31 - 1);
let state = seed;
/** Between 0 and 1; the same for the same seed, as far as the network allows. */
const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;

const dataDir = temporaryFolder();
let sandbox: TestSandbox;
let seller: Seller;

interface Seller {
  url: string;
  server: Server;
  /** The number of lost answers, by kind. */
  lost: Map<string, number>;
  /** Settlements that came later than the answer. */
  late: Promise<unknown>[];
  /** The transactions shown for each item. */
  shown: Map<string, Set<string>>;
}

/** Some items are never settled: their payments have to be proven expired. */
const isNeverSettled = (path: string): boolean => Number(path.split('-').at(-1)) % 20 === 7;

const cut = (response: ServerResponse): unknown => response.socket?.resetAndDestroy();

const openSeller = async (rpcUrl: string): Promise<Seller> => {
  const [facilitator, owner] = [Keypair.generate(), Keypair.generate()];
  await rpcCall(rpcUrl, 'requestAirdrop', [facilitator.publicKey.toBase58(), 100_000_000_000]);
  await rpcCall(rpcUrl, 'sandbox_fundUsdc', [owner.publicKey.toBase58(), '0']);
  const lost = new Map<string, number>();
  const late: Promise<unknown>[] = [];
  const shown = new Map<string, Set<string>>();
  const [feePayer, payTo] = [facilitator.publicKey.toBase58(), owner.publicKey.toBase58()];
  const settle = async (transaction: string): Promise<void> => {
    const signed = VersionedTransaction.deserialize(Buffer.from(transaction, 'base64'));
    signed.sign([facilitator]);
    const wire = Buffer.from(signed.serialize()).toString('base64');
    // With preflight: a seller that accepts an expired transaction would deliver for nothing.
    await rpcCall(rpcUrl, 'sendTransaction', [wire, { encoding: 'base64' }]).catch((error: unknown) => {
      if (!/already/i.test(String(error))) throw error;
    });
  };
  const ask = (response: ServerResponse, path: string): void => {
    const accepts = [
      {
        scheme: 'exact',
        network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
        amount: String(units),
        asset: usdcMints.sandbox,
        payTo,
        maxTimeoutSeconds: 60,
        extra: { feePayer },
      },
    ];
    const terms = JSON.stringify({ x402Version: 2, resource: { url: `${seller.url}${path}` }, accepts });
    response.writeHead(402, { 'payment-required': Buffer.from(terms).toString('base64') }).end('{}');
  };
  const ways: readonly (readonly [
    string,
    (response: ServerResponse, transaction: string, path: string) => unknown,
  ])[] = [
    ['cut before settling', (response) => cut(response)],
    ['500 before settling', (response) => response.writeHead(500).end('{}')],
    ['402 before settling', (response, _, path) => ask(response, path)],
    ['cut after settling', async (response, transaction) => (await settle(transaction), cut(response))],
    [
      '500 after settling',
      async (response, transaction) => (await settle(transaction), response.writeHead(500).end()),
    ],
    [
      '402 after settling',
      async (response, transaction, path) => (await settle(transaction), ask(response, path)),
    ],
    [
      'cut, settled late',
      (response, transaction) => {
        late.push(wait(1_000 * random()).then(() => settle(transaction)));
        cut(response);
      },
    ],
  ];
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const header = request.headers['payment-signature'];
    if (typeof header !== 'string') return ask(response, path);
    const { payload } = JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as {
      payload: { transaction: string };
    };
    shown.set(path, (shown.get(path) ?? new Set()).add(payload.transaction));
    if (isNeverSettled(path)) {
      response.writeHead(500).end('{}');
      return;
    }
    const play = async (): Promise<void> => {
      const [name, way] = ways[Math.floor(random() * ways.length)] ?? [];
      if (random() < 0.25 && name !== undefined && way !== undefined) {
        lost.set(name, (lost.get(name) ?? 0) + 1);
        await way(response, payload.transaction, path);
        return;
      }
      await settle(payload.transaction);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ sold: path }));
    };
    play().catch(() => cut(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, lost, shown, late };
};

beforeAll(async () => {
  sandbox = await openSandbox();
  seller = await openSeller(sandbox.rpcUrl);
});
afterAll(async () => {
  seller.server.closeAllConnections();
  await new Promise((resolve) => seller.server.close(resolve));
  await Promise.allSettled(seller.late);
  await sandbox.close();
  removeFolder(dataDir);
});

/** The answers under one key, in order; none where the host died. */
interface Bought {
  key: string;
  told: Answer[];
}
const paymentIdOf = ({ body }: Answer): string | undefined =>
  body['payment']?.paymentId ?? body['paymentId'] ?? body['details']?.paymentId;

it(`lands each of ${payments} payments once at most, and accounts for every unit, seed ${seed}`, async () => {
  const begin = performance.now();
  const args = ['--rpc', sandbox.rpcUrl, '--ws', sandbox.rpcUrl.replace('http', 'ws'), '--log-level', 'warn'];
  args.push('--allow-origin', seller.url);
  const start = (): Promise<Process> => spawnTreasury(dataDir, args);
  let host = await start();
  await host.client.post('/v1/sandbox/faucet', { amount: '1000' });
  const { key: agentKey, wallet } = await deploy(host.client, 'mortal', {
    dailyBudget: '100',
    maxPerPayment: '1',
    allocate: '100',
  });

  const buy = async (one: Bought, seconds: number): Promise<boolean> => {
    const { url, owner } = host.ready;
    const client = createClient(url, owner, agentKey, 1);
    try {
      const body = { url: `${seller.url}/${one.key}` };
      const answer = await client.post('/v1/agents/mortal/fetch', body, {
        key: one.key,
        prefer: `wait=${seconds}`,
      });
      one.told.push(answer);
      return true;
    } catch {
      return false;
    } finally {
      client.close();
    }
  };

  const all: Bought[] = Array.from({ length: payments }, (_, n) => ({ key: `lost-${seed}-${n}`, told: [] }));
  const rest = [...all];
  let done = 0;
  let killed = 0;
  let restarting: Promise<void> | null = null;
  const killWhenDue = (): void => {
    if (restarting !== null || killed >= kills || done < ((killed + 1) * payments) / (kills + 1)) return;
    killed += 1;
    restarting = (async () => {
      await wait(30 * random());
      await host.kill('SIGKILL');
      host.client.close();
      host = await start();
      restarting = null;
    })();
  };
  const worker = async (): Promise<void> => {
    for (let one = rest.shift(); one !== undefined; one = rest.shift()) {
      while (!(await buy(one, 2))) await (restarting ?? wait(20));
      done += 1;
      killWhenDue();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  await restarting;
  // A purchase without an answer is requested again under its key; its payment is shown to the seller again while that
  // can help.
  const isDelivered = ({ told }: Bought): boolean => told.at(-1)?.status === 200;
  for (let round = 0; round < 2; round += 1) {
    const undelivered = all.filter((one) => !isDelivered(one));
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let one = undelivered.shift(); one !== undefined; one = undelivered.shift()) await buy(one, 0);
      }),
    );
  }
  await host.kill('SIGKILL');
  host.client.close();

  await Promise.allSettled(seller.late);
  // Unsettled transactions can no longer land once their blockhash has expired.
  await rpcCall(sandbox.rpcUrl, 'sandbox_warp', [400]);
  const treasury = await openTreasury({ dataDir, args });
  try {
    const { store, time } = treasury.host.engine.context;
    await until('everything to land or die', () => store.transfers.open().length === 0, 120_000);
    const client = createClient(treasury.host.url, treasury.owner, agentKey);
    const last = new Map<string, Answer>();
    for (const { key } of all) {
      const body = { url: `${seller.url}/${key}` };
      last.set(key, await client.post('/v1/agents/mortal/fetch', body, { key, prefer: 'wait=0' }));
    }
    client.close();
    const rows = [...store.transfers.iterate({ kinds: ['payment'] })];
    const debits = await debitsOf(sandbox.rpcUrl, wallet);

    // Every key is one payment.
    const ids = all.map(({ key, told }) => {
      const named = [...told, ...[last.get(key)].filter((answer) => answer !== undefined)].flatMap(
        (answer) => paymentIdOf(answer) ?? [],
      );
      expect(new Set(named).size, `${key}: ${told.map(({ text }) => text).join('\n')}`).toBe(1);
      return String(named[0]);
    });
    expect(new Set(ids).size).toBe(payments);
    expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());

    // At most one transaction each: every transaction that landed belongs to a row of its own.
    const landed = rows.filter((row) => row.state === 'final');
    const names = landed.map(({ purchase }) => purchase?.txSignature);
    expect(names.toSorted()).toEqual(debits.map(({ signature }) => signature).toSorted());
    expect(new Set(names).size).toBe(landed.length);
    for (const [path, transactions] of seller.shown) expect(transactions.size, path).toBe(1);
    expect(debits.every((debit) => debit.units === units)).toBe(true);

    // Every unit.
    const { open, final } = store.spend.at('mortal', time.now());
    expect([open, final]).toEqual([0n, units * BigInt(debits.length)]);
    const balance = await rpcCall(sandbox.rpcUrl, 'getTokenAccountsByOwner', [
      wallet,
      { mint: usdcMints.sandbox },
      { encoding: 'jsonParsed' },
    ]);
    const held = BigInt(balance.value[0].account.data.parsed.info.tokenAmount.amount);
    expect(held).toBe(100_000_000n - units * BigInt(debits.length));
    expect(clean(await audit(treasury.host))).toEqual(allWell);

    // Every delivered purchase was paid, and payments that never landed are reported as such.
    const stateOf = new Map(rows.map((row) => [row.id, row]));
    for (const [index, { key, told }] of all.entries()) {
      const row = stateOf.get(ids[index] ?? '');
      if (isDelivered({ key, told })) expect(row?.state, key).toBe('final');
      if (row?.state !== 'final') expect(last.get(key)?.status, key).toBe(502);
    }
    const states = Map.groupBy(rows, (row) => `${row.state}, ${row.purchase?.delivery}`);
    const counts = [...states].map(([name, some]) => `${name}: ${some.length}`).join('; ');
    const lost = [...seller.lost].map(([name, count]) => `${name} ${count}`).join(', ');
    const seconds = ((performance.now() - begin) / 1_000).toFixed(0);
    process.stdout.write(
      `${payments} payments, ${killed} kills, ${seconds} s, seed ${seed}: ${counts}; lost: ${lost}\n`,
    );
    expect(killed).toBeGreaterThanOrEqual(Math.min(kills, Math.floor(payments / 15)));
    expect(rows.some((row) => row.state === 'dead')).toBe(true);
    expect([...seller.lost.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(payments / 40);
    expect(landed.length).toBeGreaterThan(payments / 2);
  } finally {
    await treasury.close();
  }
}, 900_000);
