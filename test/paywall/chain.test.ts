// What the chain shows of a payment: transactions that neither an honest RPC nor a program here would produce, made
// up as its answer, and a chain that cannot be asked. And the store of grants, whose constraints are those of the
// database.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import Database from 'better-sqlite3';
import bs58 from 'bs58';
import { afterAll, describe, expect, test } from 'vitest';
import { usdcMints } from '../../server/contract/treasury/networks.ts';
import { usdc } from '../../server/money.ts';
import { checkPayment, paymentMemo } from '../../server/paywall/check-payment.ts';
import { createGrantStore } from '../../server/paywall/store/grant-store.ts';
import type { RpcTransaction } from '../../server/paywall/transaction-reader.ts';
import { sampleReceipt, signReceipt } from '../x402/keys.ts';
import { priceUnits } from '../x402/market.ts';
import { createRelay } from './relay.ts';
import { ask, closeServer, listen, openShop, quote, refused } from './seller.ts';
import { market, signed, useShop } from './use-shop.ts';

useShop();

const buyer = Keypair.generate();
const made = signReceipt(sampleReceipt(buyer), buyer);
const receipt = { ...made, memo: paymentMemo(made.paymentId, made.invoice) };
const [source, account] = [Keypair.generate().publicKey.toBase58(), Keypair.generate().publicKey.toBase58()];
const mint = usdcMints.sandbox;
const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const token2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const due = {
  amount: usdc(priceUnits),
  recipient: receipt.recipient,
  account,
  mint,
  maxAgeMs: 600_000,
  expiresAt: null,
};
const now = Date.parse(receipt.timestamp);

const transferData = Buffer.alloc(9);
transferData.writeUInt8(3);
transferData.writeBigUInt64LE(priceUnits, 1);

const oneUnit = Buffer.from(transferData);
oneUnit.writeBigUInt64LE(1n, 1);

const balance = (amount: bigint) => ({
  accountIndex: 2,
  mint,
  owner: receipt.recipient,
  uiTokenAmount: { amount },
});

/** An honest payment. */
const transaction = (): RpcTransaction => ({
  blockTime: now / 1000,
  meta: { err: null, preTokenBalances: [balance(7n)], postTokenBalances: [balance(7n + priceUnits)] },
  transaction: {
    signatures: [receipt.txSignature],
    message: {
      accountKeys: [
        receipt.payer,
        source,
        account,
        tokenProgram,
        'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
      ],
      instructions: [
        { programIdIndex: 3, accounts: [1, 2, 0], data: bs58.encode(transferData) },
        { programIdIndex: 4, accounts: [], data: bs58.encode(Buffer.from(`at:${receipt.paymentId}`)) },
      ],
    },
  },
});

describe('a transaction as the chain shows it', () => {
  test('is a payment when it is unchanged', () => {
    const { payer, timestamp } = receipt;
    expect(checkPayment(receipt, transaction(), due, now)).toEqual({ payer, timestamp });
  });

  const withInstruction = (at: number, data: Uint8Array, accounts: number[]): RpcTransaction => {
    const shown = transaction();
    const { instructions } = shown.transaction.message;
    instructions[at] = { programIdIndex: 3 + at, accounts, data: bs58.encode(data) };
    return shown;
  };
  const withMessage = (change: Partial<RpcTransaction['transaction']['message']>): RpcTransaction => {
    const shown = transaction();
    Object.assign(shown.transaction.message, change);
    return shown;
  };
  const withMeta = (change: Partial<RpcTransaction['meta']>): RpcTransaction => {
    const shown = transaction();
    Object.assign(shown.meta, change);
    return shown;
  };
  const { accountKeys, instructions } = transaction().transaction.message;

  test.each<[string, string, RpcTransaction]>([
    [
      'whose transfer is made by a program it calls',
      'no_transfer',
      withMessage({ instructions: instructions.slice(1) }),
    ],
    [
      'whose transfer is made by the newer token program',
      'no_transfer',
      withMessage({ accountKeys: accountKeys.with(3, token2022) }),
    ],
    [
      'whose transfer has a byte too many',
      'no_transfer',
      withInstruction(0, Buffer.concat([transferData, Buffer.of(0)]), [1, 2, 0]),
    ],
    [
      'whose transfer has a byte too few',
      'no_transfer',
      withInstruction(0, transferData.subarray(0, 8), [1, 2, 0]),
    ],
    ['whose transfer names no authority', 'no_transfer', withInstruction(0, transferData, [1, 2])],
    ['whose transfer points outside the keys', 'no_transfer', withInstruction(0, transferData, [1, 9, 0])],
    ['whose error is not stated', 'failed_on_chain', withMeta({ err: undefined })],
    ['whose balances are missing', 'wrong_account', withMeta({ postTokenBalances: null })],
    [
      'whose balance does not say whose it is',
      'wrong_account',
      withMeta({ postTokenBalances: [{ ...balance(priceUnits), owner: undefined }] }),
    ],
    [
      'whose account is of another mint',
      'wrong_mint',
      withMeta({ postTokenBalances: [{ ...balance(priceUnits + 7n), mint: source }] }),
    ],
    ['whose balance rose by more', 'wrong_amount', withMeta({ preTokenBalances: [] })],
    ['whose own transfer is one unit of what came', 'wrong_amount', withInstruction(0, oneUnit, [1, 2, 0])],
    ['whose memo is not UTF-8', 'wrong_memo', withInstruction(1, Buffer.from('at:pay_\xff', 'latin1'), [])],
  ])('%s is refused', (_, code, shown) => {
    expect(checkPayment(receipt, shown, due, now)).toMatchObject({ refused: { code } });
  });
});

const directory = mkdtempSync(join(tmpdir(), 'grants-'));
const path = () => join(directory, `${crypto.randomUUID()}.db`);
afterAll(() => rmSync(directory, { recursive: true }));

describe('the store', () => {
  const grant = { paymentId: 'p', payer: 'w', amount: usdc(5n), grantedAt: 1 };

  test('keeps both constraints in the database itself', () => {
    const file = path();
    const store = createGrantStore(file);
    expect(store.grant({ ...grant, txSignature: 'a', invoice: 'i' })).toBe('granted');
    expect(store.grant({ ...grant, txSignature: 'a', invoice: 'j' })).toBe('transaction_used');
    expect(store.grant({ ...grant, txSignature: 'b', invoice: 'i' })).toBe('invoice_used');
    expect(store.grant({ ...grant, txSignature: 'c', invoice: null })).toBe('granted');
    expect(store.grant({ ...grant, txSignature: 'd', invoice: null })).toBe('granted');
    const raw = new Database(file);
    const insert = raw.prepare(
      "INSERT INTO paywall_grant (tx_signature, invoice, payment_id, payer, amount, granted_at) VALUES (?, ?, 'p', 'w', 5, 1)",
    );
    expect(() => insert.run('a', 'k')).toThrow(/UNIQUE/);
    expect(() => insert.run('e', 'i')).toThrow(/UNIQUE/);
    raw.close();
    store.close();
  });

  test('syncs every commit, in its own database and in a given one', () => {
    const lent = new Database(path());
    lent.pragma('synchronous = NORMAL');
    const store = createGrantStore(lent);
    expect(lent.pragma('synchronous', { simple: true })).toBe(2);
    expect(lent.pragma('journal_mode', { simple: true })).toBe('wal');
    store.close();
    expect(() => createGrantStore(':memory:')).toThrow(/WAL/);
  });

  test('keeps a settlement until its time is over, also for another process', () => {
    const file = path();
    const [store, other] = [createGrantStore(file), createGrantStore(file)];
    const soon = Date.now() + 100_000;
    store.saveSettled({ message: 'old', txSignature: 'a', until: Date.now() - 1 });
    store.saveSettled({ message: 'm', txSignature: 'b', until: soon });
    other.saveSettled({ message: 'm', txSignature: 'c', until: soon });
    expect(['old', 'm', 'none'].map((one) => other.findSettled(one))).toEqual([undefined, 'b', undefined]);
    for (const one of [store, other]) one.close();
  });

  test('forgets invoices a day after their end, and never a grant', () => {
    const store = createGrantStore(path());
    const invoice = { method: 'GET', url: '/', bodySha256: 'a'.repeat(64), amount: usdc(5n), recipient: 'r' };
    store.saveInvoice({ ...invoice, id: 'old', expiresAt: 1000 });
    store.grant({ ...grant, txSignature: 'a', invoice: 'old' });
    for (let at = 0; at < 1000; at++) store.saveInvoice({ ...invoice, id: `n${at}`, expiresAt: 90_000_000 });
    expect(store.findInvoice('old')).toBeUndefined();
    expect(store.findInvoice('n0')).toEqual({ ...invoice, id: 'n0', expiresAt: 90_000_000 });
    expect(store.grant({ ...grant, txSignature: 'b', invoice: 'old' })).toBe('invoice_used');
    store.close();
  });
});

describe('while the chain cannot be asked', () => {
  const rpcError = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32005, message: 'Node is behind' },
  });

  test.each<[string, (method: string) => [number, string] | 'drop' | null]>([
    ['closes the connection', () => 'drop'],
    ['answers 500', () => [500, 'no']],
    ['answers 429', () => [429, '{}']],
    ['answers with an error', () => [200, rpcError]],
    ['answers with HTML', () => [200, '<html>']],
    ['answers with another shape', () => [200, '{"jsonrpc":"2.0","id":1,"result":{"slot":1}}']],
    [
      'answers at great length',
      (method) => (method === 'getTransaction' ? [200, `{"result":null}${' '.repeat(3_000_000)}`] : null),
    ],
  ])('because it %s: 503, the receipt stays unspent, and is valid afterwards', async (_, fault) => {
    const { relay, url, close } = await createRelay(market.rpcUrl);
    const own = await openShop(market, { rpcUrl: url, now: Date.now });
    const header = signed(await market.buy({ invoice: await quote(own.forecast) }));
    relay.fault = fault;
    const down = await ask(own.forecast, header);
    expect(refused(down)).toEqual({ status: 503, code: 'chain_unreachable' });
    expect(down.body).toMatchObject({ retry: true });
    expect(down.headers.get('retry-after')).toBe('5');
    relay.fault = null;
    expect((await ask(own.forecast, header)).status).toBe(200);
    await own.close();
    await close();
  });

  test('because nothing listens there: 503', async () => {
    const own = await openShop(market, { rpcUrl: 'http://127.0.0.1:1', now: Date.now });
    const header = signed(await market.buy({ invoice: await quote(own.forecast) }));
    expect((await ask(own.forecast, header)).status).toBe(503);
    await own.close();
  });

  test('because it does not answer in time: 503', async () => {
    const { url, server } = await listen(() => undefined);
    const own = await openShop(market, { rpcUrl: url, now: Date.now, rpcTimeoutMs: 50 });
    const header = signed(await market.buy({ invoice: await quote(own.forecast) }));
    expect((await ask(own.forecast, header)).status).toBe(503);
    await own.close();
    await closeServer(server);
  });

  test('because it is another network: 503, for a sandbox configured as mainnet and for mainnet configured as a sandbox', async () => {
    const wrong = await openShop(market, { network: 'mainnet', now: Date.now });
    const bought = await market.buy({ invoice: await quote(wrong.forecast) });
    expect((await ask(wrong.forecast, signed({ ...bought, network: 'mainnet' }))).status).toBe(503);
    await wrong.close();

    const { relay, url, close } = await createRelay(market.rpcUrl);
    const mainnet = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      result: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    });
    relay.fault = (method) => (method === 'getGenesisHash' ? [200, mainnet] : [200, rpcError]);
    const own = await openShop(market, { rpcUrl: url, now: Date.now });
    const header = signed(await market.buy({ invoice: await quote(own.forecast) }));
    expect((await ask(own.forecast, header)).status).toBe(503);
    expect(relay.calls).not.toContain('getTransaction');
    await own.close();
    await close();
  });

  test('because another chain came up under the same URL: 503', async () => {
    const { relay, url, close } = await createRelay(market.rpcUrl);
    const own = await openShop(market, { rpcUrl: url, now: Date.now });
    const buy = async () => signed(await market.buy({ invoice: await quote(own.forecast) }));
    expect((await ask(own.forecast, await buy())).status).toBe(200);
    const header = await buy();
    relay.fault = () => 'drop';
    expect((await ask(own.forecast, header)).status).toBe(503);
    const other = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      result: 'GH7ome3EiwEr7tu9JuTh2dpYWBJK3z69Xm1ZE3MEE6JC',
    });
    relay.fault = (method) => (method === 'getGenesisHash' ? [200, other] : null);
    expect((await ask(own.forecast, header)).status).toBe(503);
    relay.fault = null;
    expect((await ask(own.forecast, header)).status).toBe(200);
    await own.close();
    await close();
  });

  test('the genesis hash is requested once, and each verification is one request', async () => {
    const { relay, url, close } = await createRelay(market.rpcUrl);
    const own = await openShop(market, { rpcUrl: url, now: Date.now });
    for (let at = 0; at < 3; at++) {
      const header = signed(await market.buy({ invoice: await quote(own.forecast) }));
      expect((await ask(own.forecast, header)).status).toBe(200);
    }
    expect(relay.calls).toEqual([
      'getGenesisHash',
      'getAccountInfo',
      ...Array.from({ length: 3 }, () => 'getTransaction'),
    ]);
    await own.close();
    await close();
  });

  test('because it answers with another transaction than the requested one: 503', async () => {
    const { relay, url, close } = await createRelay(market.rpcUrl);
    const own = await openShop(market, { rpcUrl: url, now: Date.now });
    const other = await market.buy();
    const config = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 };
    const result = await market.rpc('getTransaction', [other.txSignature, config]);
    const header = signed(await market.buy({ invoice: await quote(own.forecast) }));
    relay.fault = (method) =>
      method === 'getTransaction' ? [200, JSON.stringify({ jsonrpc: '2.0', id: 1, result })] : null;
    expect((await ask(own.forecast, header)).status).toBe(503);
    await own.close();
    await close();
  });

  test('a node that lags a little is given time', async () => {
    const { relay, url, close } = await createRelay(market.rpcUrl);
    const own = await openShop(market, { rpcUrl: url, now: Date.now, visibleWithinMs: 2000 });
    const header = signed(await market.buy({ invoice: await quote(own.forecast) }));
    let looks = 0;
    const nothing = JSON.stringify({ jsonrpc: '2.0', id: 1, result: null });
    relay.fault = (method) => (method === 'getTransaction' && ++looks < 3 ? [200, nothing] : null);
    expect((await ask(own.forecast, header)).status).toBe(200);
    expect(looks).toBe(3);
    await own.close();
    await close();
  });
});
