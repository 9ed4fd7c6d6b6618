// What a seller is told of its sales: the sums are those of the chain, whatever life they come from.
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { restoredCommand, rotateCommand } from '../../server/customer/another-secret.ts';
import { salesCommand } from '../../server/customer/sales.ts';
import { formatUsdc, parseUsdc, usdc } from '../../server/money.ts';
import { createGrantStore } from '../../server/paywall/store/grant-store.ts';
import { paywall } from '../../server/paywall/paywall.ts';
import { readOffers, readSales, type Sale } from '../../server/paywall/store/sales.ts';
import type { Payment } from '../../server/paywall/types.ts';
import { createDice } from '../harness/dice.ts';
import { tries } from '../harness/tries.ts';
import { signBytes } from '../x402/keys.ts';
import { tokenAccount } from '../x402/market.ts';
import { pay, show } from './credentials.ts';
import { ask, closeServer, listen, quote } from './seller.ts';
import { market, signed, useShop } from './use-shop.ts';

useShop();

const [sales, rotate, restored] = [salesCommand.run, rotateCommand.run, restoredCommand.run];

const bought = tries(24, 400);
const file = () => join(market.dataDir, 'sales.db');
const own = { payer: '' };

/** A life with two routes, two protocols, refunds of parts and wholes, and requests that nobody pays. */
beforeAll(async () => {
  const dice = createDice(46);
  const store = createGrantStore(file());
  const options = { price: '0.01', recipient: market.seller.publicKey.toBase58(), rpcUrl: market.rpcUrl };
  const walls = (['/report', '/summaries/:id'] as const).map((path) =>
    paywall({
      ...options,
      network: 'sandbox',
      store,
      route: { method: 'GET', path },
      service: '=HYPERLINK("x")',
    }),
  );
  const granted: Payment[] = [];
  const { url, server } = await listen((request, response) => {
    const wall = walls[request.url?.startsWith('/report') === true ? 0 : 1];
    void wall?.(request, response, () => {
      const { payment } = request as { payment?: Payment };
      if (payment !== undefined) granted.push(payment);
      response.end('{}');
    });
  });
  for (let n = 0; n < bought; n += 1) {
    const target = `${url}${dice.pick(['/report?secret=7', '/summaries/9'])}`;
    const isReceipt = dice.isLucky(0.5);
    const header = isReceipt ? signed(await market.buy({ invoice: await quote(target) })) : null;
    const answer = isReceipt
      ? await ask(target, header)
      : await show(target, await pay(market, 'mpp', target));
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    if (dice.isLucky(0.3)) await ask(target);
    const last = granted.at(-1);
    const part = { amount: dice.pick(['0.01', '0.004', '0.000001']) };
    if (last !== undefined && dice.isLucky(0.4))
      await walls[0]?.refund(last, (message) => signBytes(market.seller, message), part);
  }
  own.payer = market.buyer.publicKey.toBase58();
  await closeServer(server);
  store.close();
});
afterEach(() => vi.restoreAllMocks());

const said = (command: (args: string[]) => number, ...args: string[]): string => {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((part) => ((text += String(part)), true));
  expect(command(args)).toBe(0);
  vi.restoreAllMocks();
  return text;
};
const told = (...more: string[]): string => said(sales, file(), ...more);
const lines = (): Sale[] =>
  told('--format', 'json')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Sale);
const sumOf = (amounts: (string | undefined)[]): bigint =>
  amounts.reduce((sum, amount) => sum + (parseUsdc(amount ?? '0') ?? 0n), 0n);

const onChain = async (): Promise<bigint> => {
  const account = tokenAccount(market.seller.publicKey).toBase58();
  const { value } = (await market.rpc('getTokenAccountBalance', [account])) as { value: { amount: string } };
  return BigInt(value.amount);
};

describe('the sales of a store', () => {
  it('are the chain’s: each amount, and all of them less the refunds', async () => {
    const all = lines();
    expect(all).toHaveLength(bought);
    expect(sumOf(all.map(({ amount }) => amount)) - sumOf(all.map(({ refund }) => refund?.amount))).toBe(
      await onChain(),
    );
    for (const { txSignature, refund } of all)
      for (const signature of [txSignature, ...(refund === null ? [] : [refund.txSignature])])
        expect(await market.rpc('getTransaction', [signature, { encoding: 'json' }])).toMatchObject({
          meta: { err: null },
        });
    expect(new Set(all.map(({ dialect }) => dialect))).toEqual(new Set(['receipt', 'mpp']));
    expect(new Set(all.map(({ route }) => route))).toEqual(new Set(['GET /report', 'GET /summaries/:id']));
    expect(all[0]).toMatchObject({ recipient: market.seller.publicKey.toBase58(), network: 'sandbox' });
    // The route's pattern is kept, never the URL's query.
    expect(JSON.stringify(all)).not.toContain('secret');
  });

  it('are summed up by route and by day, with refunds apart and the share of 402s that were paid', () => {
    const all = lines();
    const repaid = all.flatMap(({ refund }) => (refund === null ? [] : [refund.amount]));
    const raw = new Database(file(), { readonly: true });
    const made = readOffers(raw).reduce((sum, one) => sum + one.made, 0);
    raw.close();
    expect(made).toBeGreaterThan(bought);
    for (const by of ['route', 'day']) {
      const table = told('--by', by)
        .trim()
        .split('\n')
        .map((line) => line.split(/\s{2,}/));
      expect(table.at(-1)).toEqual([
        'all',
        String(bought),
        formatUsdc(usdc(sumOf(all.map(({ amount }) => amount)))),
        String(repaid.length),
        formatUsdc(usdc(sumOf(repaid))),
        String(made),
        `${((100 * bought) / made).toFixed(1)} %`,
      ]);
      const [head, ...groups] = told('--by', by, '--format', 'csv').trim().split('\r\n');
      expect([head?.split(',')[0], groups.length]).toEqual([by, by === 'route' ? 3 : 2]);
    }
  });

  it('leave out the wallets that they are told to, with the 402s that these paid', () => {
    const table = told('--without', own.payer).trim().split('\n').at(-1) ?? '';
    const raw = new Database(file(), { readonly: true });
    const made = readOffers(raw).reduce((sum, one) => sum + one.made, 0);
    raw.close();
    expect(table.split(/\s{2,}/)).toEqual(['all', '0', '0.00', '0', '0.00', String(made - bought), '0.0 %']);
    expect(told('--without', own.payer, '--format', 'json')).toBe('');
  });

  it('of some days are those of these days', () => {
    const today = lines()[0]?.grantedAt.slice(0, 10) ?? '';
    expect(told('--from', today, '--to', '2099-01-01', '--format', 'json')).toBe(told('--format', 'json'));
    expect(told('--to', '2020-01-01', '--format', 'json')).toBe('');
    expect(told('--to', '2020-01-01').trim().split('\n').at(-1)).toMatch(/^all\s+0\s/);
  });

  it('hold no formula in CSV', () => {
    const [head, first = ''] = told('--format', 'csv').split('\r\n');
    expect(head).toBe(
      'grantedAt,route,service,dialect,amount,payer,recipient,network,txSignature,refundTxSignature,refundAmount,refundLanded',
    );
    expect(first).toContain(`"'=HYPERLINK(""x"")"`);
  });

  it.skipIf(spawnSync('hledger', ['--version']).status !== 0)(
    'balance in hledger under its strict checks (skipped where hledger is not installed)',
    async () => {
      const journal = join(market.dataDir, 'sales.journal');
      writeFileSync(journal, told('--format', 'hledger'));
      execFileSync('hledger', ['-f', journal, 'check', '--strict']);
      const balance = execFileSync('hledger', ['-f', journal, 'balance', 'Assets', '--flat', '-N'], {
        encoding: 'utf8',
      });
      expect(parseUsdc(/([\d.]+) USDC/.exec(balance)?.[1] ?? '')).toBe(await onChain());
    },
  );

  it('count no refund that was not seen on the chain, and say that there is one', () => {
    const store = createGrantStore(join(market.dataDir, 'open-refund.db'));
    store.grant({
      txSignature: 't',
      invoice: null,
      paymentId: 'p',
      payer: 'w',
      amount: 50_000n,
      grantedAt: 1_000,
    });
    store.saveRefund({ txSignature: 't', refundSignature: 'r', wire: 'w', lastValidBlockHeight: 1 }, null);
    store.close();
    const table = said(sales, join(market.dataDir, 'open-refund.db'));
    expect(table).toMatch(/^all\s+1\s+0\.05\s+0\s+0\.00\s/m);
    expect(table).toContain('Not seen on the chain yet: 1 of the refunds.');
  });

  it('of an older version lack what it did not keep', () => {
    const old = new Database(join(market.dataDir, 'first-sales.db'));
    old.exec(`CREATE TABLE paywall_grant (tx_signature TEXT PRIMARY KEY NOT NULL, invoice TEXT UNIQUE,
      payment_id TEXT NOT NULL, payer TEXT NOT NULL, amount INTEGER NOT NULL, granted_at INTEGER NOT NULL) STRICT;
      INSERT INTO paywall_grant VALUES ('t', NULL, 'p', 'w', 50000, 1000)`);
    const unknown = { recipient: null, network: null, route: null, service: null, dialect: null };
    expect([...readSales(old)]).toEqual([
      {
        ...unknown,
        txSignature: 't',
        amount: '0.05',
        payer: 'w',
        grantedAt: '1970-01-01T00:00:01.000Z',
        refund: null,
      },
    ]);
    old.close();
    expect(said(sales, old.name)).toMatch(/^-\s+1\s+0\.05\s+0\s+0\.00\s+-\s+-$/m);
  });
});

const secretIn = (path: string): unknown => {
  const raw = new Database(path, { readonly: true });
  const key = raw.prepare('SELECT key FROM paywall_secret WHERE replaced_at IS NULL').pluck().get();
  raw.close();
  return key;
};

describe('a command on a store', () => {
  it('replaces its secret, and says what follows', () => {
    const before = secretIn(file());
    expect(said(rotate, file())).toMatch(/another secret since .*45 minutes.*restored/s);
    const next = secretIn(file());
    expect(next).not.toEqual(before);
    expect(said(restored, file())).toMatch(/refuses invoices that were issued.*before 20/s);
    expect(secretIn(file())).not.toEqual(next);
  });

  it('is for a store alone, and makes none', () => {
    const [nowhere, other] = [join(market.dataDir, 'none.db'), join(market.dataDir, 'other.db')];
    const raw = new Database(other);
    raw.exec('CREATE TABLE mine (a)');
    writeFileSync(join(market.dataDir, 'text.db'), 'not a database, but a text of some length');
    for (const command of [sales, rotate, restored]) {
      expect(() => command([nowhere])).toThrow('there is no such file');
      expect(() => command([other])).toThrow('is not a store of grants');
      expect(() => command([join(market.dataDir, 'text.db')])).toThrow('is not a store of grants');
    }
    expect(raw.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual(['mine']);
    raw.close();
  });

  it.each([
    [sales, [], 'Usage: agent-treasury-paywall sales FILE'],
    [rotate, ['a', 'b'], 'Usage: agent-treasury-paywall rotate FILE'],
    [sales, ['a', '--by', 'payer'], '--by must be route or day'],
    [sales, ['a', '--format', 'xml'], '--format must be table, csv, json, hledger'],
    [sales, ['a', '--from', '2026-13-01'], '--from must be a day'],
    [sales, ['a', '--to', '2026-02-31'], '--to must be a day'],
    [restored, ['--all'], "Unknown option '--all'"],
  ])('%# that cannot be read says how to say it', (command, args, words) => {
    expect(() => command(args)).toThrow(words);
  });
});
