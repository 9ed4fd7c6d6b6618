// Transactions that neither an honest RPC nor a program here would produce, made up as the chain's answer. And the store of
// grants, whose constraints are the database's own.
import bs58 from 'bs58';
import Database from 'better-sqlite3';
import { Keypair } from '@solana/web3.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { usdcMints } from '../../server/contract/treasury/networks.ts';
import { usdc } from '../../server/money.ts';
import { checkPayment, paymentMemo } from '../../server/paywall/check-payment.ts';
import { createGrantStore } from '../../server/paywall/grant-store.ts';
import type { RpcTransaction } from '../../server/paywall/transaction-reader.ts';
import { sampleReceipt, signReceipt } from '../x402/keys.ts';
import { priceUnits } from '../x402/market.ts';

const buyer = Keypair.generate();
const signed = signReceipt(sampleReceipt(buyer), buyer);
const receipt = { ...signed, memo: paymentMemo(signed.paymentId, signed.invoice) };
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
    const insert = raw.prepare("INSERT INTO paywall_grant VALUES (?, ?, 'p', 'w', 5, 1)");
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
