import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, test } from 'vitest';
import { usdc } from '../../server/money.ts';
import { createGrantStore } from '../../server/paywall/grant-store.ts';

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
