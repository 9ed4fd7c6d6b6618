// A database of an older version is migrated with its contents. A row's digest covers every column, and a column of a later
// version counts as soon as it holds a value. The checks of the table of transfers are changed in place: an anchor has one
// shape, and nothing else gains any of it.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyJournal } from '../../server/engine/records/audit.ts';
import type { Store } from '../../server/engine/ports.ts';
import { applyMigrations } from '../../server/store/database.ts';
import {
  digestRow,
  protectedTables,
  type ProtectedTable,
  type Row,
} from '../../server/store/records/digests.ts';
import { migrations } from '../../server/store/schema.ts';
import { useFolders } from '../harness/folders.ts';
import { makeOlder } from '../harness/engine/older-database.ts';
import { openStore } from '../harness/engine/store.ts';
import { deploy, openTreasury, until } from '../harness/treasury.ts';
import { paymentOf, storeWithAgent } from './store-with-agent.ts';

const newFolder = useFolders();
const keys = ['first', 'second', 'third'];

/** The parts that must be the same afterwards. */
const pastOf = (store: Store) => ({
  sums: store.spend.agentByDay('payer', 2, Date.now()),
  remembered: keys.map((key) => store.idempotency.find('agent:payer', key)),
  payees: [...store.transfers.iterate({ kinds: ['payment'] })].map(({ payee }) =>
    store.payees.knownSince('payer', payee),
  ),
  services: store.services.search({ text: 'weather', limit: 5 }).total,
});

it('an older database keeps its sums, keys and payees, and its journal is whole', async () => {
  const dataDir = newFolder();
  const file = join(dataDir, 'sandbox', 'treasury.db');
  const treasury = await openTreasury({ dataDir });
  const agent = await deploy(treasury.client, 'payer');
  for (const [index, key] of keys.entries()) await agent.pay(`0.${index + 1}`, { key });
  const { store } = treasury.host.engine.context;
  await until('all to be final', () => store.transfers.open().length === 0);
  const past = pastOf(store);
  expect(past.sums.reduce((sum, { amount }) => sum + amount, 0n)).toBe(600_000n);
  expect(past.remembered.filter((one) => one?.transferId != null)).toHaveLength(3);
  expect(past.payees.filter((since) => since !== null)).toHaveLength(3);
  await treasury.close();

  // The table of search words is not copied: from the version that added it on, the catalog's search finds nothing.
  const searchable = 4;
  for (let version = migrations.length - 1; version > 0; version -= 1) {
    makeOlder(file, version);
    const updated = openStore(file);
    const expected = { ...past, services: version > searchable ? expect.any(Number) : past.services };
    expect([version, pastOf(updated)]).toEqual([version, expected]);
    expect([updated.journal.verifyRules(), verifyJournal(updated)]).toEqual([null, null]);
    updated.close();
  }
});

const rows: Partial<Record<ProtectedTable, { row: Row; later: Row }>> = {
  standing_grant: { row: { id: 'grt_1', used: 1n }, later: { payees: '["a"]', ended_because: 'why' } },
  agent: { row: { agent_id: 'a' }, later: { color: 'sky', picture: 'A', tags: '["b"]' } },
  transfer: { row: { id: 'pay_1', amount: 1n }, later: { reason: 'lunch', key_id: 'key_1' } },
};

describe.each(Object.entries(rows))('a row of %s', (table, { row, later }) => {
  const digest = (of: Row): string => digestRow(table as ProtectedTable, of).toString('hex');

  it.each(Object.entries(later))(
    'has another digest with any value in %s, and the same while it is empty',
    (name, value) => {
      const empty = { ...row, [name]: null };
      expect(digest(empty)).toBe(digest(row));
      const others = [value, 'other', '', 0n].map((one) => digest({ ...row, [name]: one }));
      expect(new Set([digest(row), ...others]).size).toBe(5);
    },
  );

  it('has another digest when any of its first columns is empty', () => {
    for (const name of Object.keys(row)) expect(digest({ ...row, [name]: null })).not.toBe(digest(row));
  });
});

/** The version after which 0.1 was released; its rows were entered with the columns that they had then. */
const released = 9;

it('the digest of an older row stays the same over every migration that adds a column', () => {
  const database = new Database(':memory:');
  const columnsOf = (table: string): string[] =>
    (database.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
  const first = new Map<string, readonly string[]>();
  for (let version = 0; version < migrations.length; version += 1) {
    applyMigrations(database, version, version + 1);
    for (const table of Object.keys(protectedTables)) {
      const columns = columnsOf(table);
      if (version + 1 >= released && columns.length > 0 && !first.has(table)) first.set(table, columns);
    }
  }
  for (const [table, columns] of first) {
    const old = Object.fromEntries(columns.map((name) => [name, 1n]));
    const added = columnsOf(table).filter((name) => !columns.includes(name));
    const now = { ...old, ...Object.fromEntries(added.map((name) => [name, null])) };
    const digest = (row: Row): string => digestRow(table as ProtectedTable, row).toString('hex');
    expect([table, digest(now)]).toEqual([table, digest(old)]);
  }
  expect(first.size).toBe(Object.keys(protectedTables).length);
  database.close();
});

const anchor = {
  kind: 'anchor',
  agent_id: null,
  wallet_index: 0,
  wallet: 'treasury',
  payee: 'treasury',
  asset: 'SOL',
  amount: 0,
  service_id: null,
  invoice: 'anchor1',
  source: null,
  rent_lamports: 0,
};
const payment = { ...anchor, kind: 'payment', agent_id: 'a', payee: 'payee', asset: 'USDC', amount: 5 };

describe('the checks of transfers, changed in place', () => {
  const file = join(newFolder(), 'treasury.db');
  const before = 28;
  let db: Database.Database;
  beforeAll(() => {
    const store = storeWithAgent(file);
    store.atomically(() => {
      for (let n = 1; n <= 300; n += 1)
        store.transfers.insert(paymentOf(`p${n}`, { createdAt: n, amount: 5n }));
    });
    store.close();
    makeOlder(file, before);
    const updated = openStore(file);
    expect([...updated.transfers.iterate({})]).toHaveLength(300);
    expect([updated.journal.verifyRules(), verifyJournal(updated)]).toEqual([null, null]);
    updated.close();
    db = new Database(file);
  });
  afterAll(() => db.close());

  let ids = 0;
  const insert = (row: object): void => {
    const all = {
      ...row,
      id: `n${(ids += 1)}`,
      service_name: '',
      description: '',
      state: 'reserved',
      policy_version: 0,
      fee_lamports: 5_000,
      created_at: 1,
      reserved_at: 1,
      is_open: 1,
      journal_seq: 1,
    };
    const names = Object.keys(all);
    db.prepare(
      `INSERT INTO transfer (${names.join()}) VALUES (${names.map((name) => `@${name}`).join()})`,
    ).run(all);
  };

  it('leave the table whole, its triggers too', () => {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(() => db.prepare('DELETE FROM transfer').run()).toThrow('a transfer is never deleted');
    expect(() => db.prepare('UPDATE transfer SET amount = 0').run()).toThrow(
      'what a transfer moves never changes',
    );
  });

  it('admit an anchor, and a payment', () => {
    expect(() => insert(anchor)).not.toThrow();
    expect(() => insert(payment)).not.toThrow();
  });

  it.each<[string, object]>([
    ['an anchor of one lamport', { ...anchor, amount: 1 }],
    ['an anchor of less than nothing', { ...anchor, amount: -1 }],
    ['an anchor of USDC', { ...anchor, asset: 'USDC' }],
    ['an anchor to another wallet', { ...anchor, payee: 'payee' }],
    ['an anchor of an agent', { ...anchor, agent_id: 'a' }],
    ['an anchor of an agent’s wallet', { ...anchor, wallet_index: 1 }],
    ['an anchor of a service', { ...anchor, service_id: 's' }],
    ['an anchor on a cold treasury', { ...anchor, source: 'cold' }],
    ['an anchor that opens an account', { ...anchor, rent_lamports: 1 }],
    ['an anchor that says nothing', { ...anchor, invoice: null }],
    ['a payment of nothing', { ...payment, amount: 0 }],
    ['a payment to its own wallet', { ...payment, payee: 'treasury' }],
    ['a payment of nothing to its own wallet', { ...payment, payee: 'treasury', amount: 0 }],
    ['a withdrawal of nothing', { ...anchor, kind: 'withdrawal', payee: 'payee' }],
    ['a withdrawal to its own wallet', { ...anchor, kind: 'withdrawal', amount: 5 }],
    ['another kind', { ...payment, kind: 'anchors' }],
    ['a payment of nobody', { ...payment, agent_id: null }],
  ])('refuse %s', (_name, row) => {
    expect(() => insert(row)).toThrow('CHECK constraint failed');
  });

  it('leave the name of a dialect to the reader of the row, and keep all else of a purchase', () => {
    const buy = (transferId: string, dialect: string, memo: string | null): void =>
      void db
        .prepare(
          `INSERT INTO purchase (transfer_id, dialect, memo, terms, carrier, method, url, request_hash, delivery, journal_seq)
            VALUES (?, ?, ?, '{}', 'agent', 'GET', 'https://a.example', ?, 'open', 1)`,
        )
        .run(transferId, dialect, memo, '0'.repeat(64));
    expect(() => buy('p1', 'x402-v2', 'memo')).toThrow('CHECK constraint failed');
    expect(() => buy('p1', 'receipt', 'memo')).toThrow('CHECK constraint failed');
    buy('p1', 'another', null);
    db.close();
    const store = openStore(file);
    expect(() => store.transfers.get('p1')).toThrow('purchase.dialect');
    store.close();
    db = new Database(file);
  });
});
