// The checks of the table of transfers, changed in place: an anchor has one shape, and nothing else gains any of it.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyJournal } from '../../server/engine/records/audit.ts';
import { makeOlder } from '../harness/older-database.ts';
import { reservedPayment } from '../harness/payment-row.ts';
import { openStore } from '../harness/store.ts';
import { removeFolder, temporaryFolder } from '../harness/treasury.ts';

const folder = temporaryFolder();
const file = join(folder, 'treasury.db');
const before = 28;
let db: Database.Database;

beforeAll(() => {
  const store = openStore(file);
  store.atomically(() => {
    const agent = {
      agentId: 'a',
      walletIndex: 1,
      displayName: '',
      status: 'active',
      statusReason: null,
      createdAt: 1,
      archivedAt: null,
    } as const;
    store.agents.insert(agent, () => 'wallet');
    for (let n = 1; n <= 300; n += 1)
      store.transfers.insert(
        reservedPayment({
          id: `p${n}`,
          agentId: 'a',
          walletIndex: 1,
          wallet: 'wallet',
          createdAt: n,
          amount: 5n,
        }),
      );
  });
  store.close();
  makeOlder(file, before);
  const updated = openStore(file);
  expect([...updated.transfers.iterate({})]).toHaveLength(300);
  expect([updated.journal.verifyRules(), verifyJournal(updated)]).toEqual([null, null]);
  updated.close();
  db = new Database(file);
});
afterAll(() => {
  db.close();
  removeFolder(folder);
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
  db.prepare(`INSERT INTO transfer (${names.join()}) VALUES (${names.map((name) => `@${name}`).join()})`).run(
    all,
  );
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

describe('refuse', () => {
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
  ])('%s', (_name, row) => {
    expect(() => insert(row)).toThrow('CHECK constraint failed');
  });
});
