// An edit of the database from outside is noticed at the next start, and nothing is paid until the owner unfreezes.
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { copyFileSync, cpSync } from 'node:fs';
import { verifyJournal } from '../../server/engine/records/audit.ts';
import { digestRow, type Row } from '../../server/store/records/digests.ts';
import { createRowCheck } from '../../server/store/records/row-check.ts';
import { openStore } from '../harness/engine/store.ts';
import { deploy, openTreasury, removeFolder, temporaryFolder, until } from '../harness/treasury.ts';

const original = temporaryFolder();
const copies: string[] = [];
let key = '';
beforeAll(async () => {
  const treasury = await openTreasury({ dataDir: original });
  const agent = await deploy(treasury.client, 'victim');
  key = agent.key;
  for (let n = 0; n < 5; n += 1) await agent.pay('0.01', { key: `paid-${n}` });
  await until('all to be final', () => treasury.host.engine.context.store.transfers.open().length === 0);
  await treasury.close();
});
afterAll(() => [original, ...copies].forEach(removeFolder));

const copy = (): string => {
  const folder = temporaryFolder();
  cpSync(original, folder, { recursive: true });
  copies.push(folder);
  return folder;
};
const databaseOf = (folder: string): string => join(folder, 'sandbox', 'treasury.db');

const edits: Record<string, string> = {
  'raises a budget': `UPDATE policy SET daily_budget = 999000000`,
  'makes an agent active again': `UPDATE agent SET display_name = 'x', status = 'active'`,
  'changes what was paid': `DROP TRIGGER transfer_end_is_final; DROP TRIGGER transfer_purpose_is_fixed; UPDATE transfer SET amount = 1 WHERE kind = 'payment'`,
  'forgets a payment': `PRAGMA foreign_keys = OFF; DROP TRIGGER transfer_is_kept; DELETE FROM transfer WHERE seq = 3`,
  'forgets what was paid under a key': `DROP TRIGGER idempotency_is_kept; DELETE FROM idempotency`,
  'gives a key to another request': `DROP TRIGGER idempotency_means_one_thing; UPDATE idempotency SET id = id || 'x'`,
  'makes a payee known': `INSERT INTO known_payee SELECT 'victim 7oPPoaxGhcEAKNQZPKQ1nQ2V63K6rJnAbvkL8XUUHGRa', since, journal_seq FROM known_payee`,
  'adds a key': `INSERT INTO agent_key SELECT 'key_x', agent_id, 'abc', 'mine', 1, NULL, NULL, journal_seq, NULL, NULL FROM agent_key`,
  'points a service at another payee': `UPDATE service SET payees = '["7oPPoaxGhcEAKNQZPKQ1nQ2V63K6rJnAbvkL8XUUHGRa"]'`,
  'cuts the journal short': `DELETE FROM journal WHERE seq > 5`,
  'rewrites an entry of the journal': `UPDATE journal SET at = at + 1 WHERE seq = 4`,
  'leaves an index that the check cannot read': `CREATE INDEX aside ON wish (lower(transfer_id))`,
};

const edit = (file: string, ...sql: readonly string[]): void => {
  const db = new Database(file);
  // Then even the schema can be edited.
  db.unsafeMode();
  db.exec(`PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON; ${sql.join('; ')}`);
  db.close();
};

/** Every service is there, and whole; but the index has it under another id. */
const misleadIndex = (file: string): void => {
  const [index, table] = [`name = 'sqlite_autoindex_service_1'`, `name = 'service'`];
  edit(
    file,
    `UPDATE service SET id = id || 'x'`,
    `CREATE TABLE aside AS SELECT * FROM sqlite_master WHERE ${index} OR ${table}`,
    `DELETE FROM sqlite_master WHERE ${index}`,
    `UPDATE sqlite_master SET sql = replace(sql, 'id TEXT PRIMARY KEY', 'id TEXT') WHERE ${table}`,
  );
  edit(
    file,
    `UPDATE service SET id = rtrim(id, 'x')`,
    `INSERT INTO sqlite_master SELECT * FROM aside WHERE ${index}`,
    `UPDATE sqlite_master SET sql = (SELECT sql FROM aside WHERE ${table}) WHERE ${table}`,
    `DROP TABLE aside`,
  );
};

/** An index that lost its entries. */
const emptyIndex = (file: string, index: string): void => {
  const db = new Database(file);
  const sql = db.prepare('SELECT sql FROM sqlite_master WHERE name = ?').pluck().get(index) as string;
  db.close();
  const [, before] = /^(.*?)(?: WHERE .*)?$/s.exec(sql) ?? [];
  edit(file, `DROP INDEX ${index}`, `${before} WHERE 0`);
  edit(file, `UPDATE sqlite_master SET sql = '${sql.replaceAll(`'`, `''`)}' WHERE name = '${index}'`);
};

it('an unlock leaves the treasury locked when its records cannot be verified', async () => {
  const { host, client, close } = await openTreasury();
  vi.spyOn(host.engine.audit, 'verifyTail').mockImplementationOnce(() => {
    throw new Error('SQLITE_CORRUPT');
  });
  await client.post('/v1/lock');
  expect((await client.post('/v1/unlock')).status).toBe(500);
  expect((await client.get('/v1/dashboard')).body['locked']).toBe(true);
  expect((await client.post('/v1/unlock')).status).toBe(200);
  expect((await client.get('/v1/dashboard')).body['locked']).toBe(false);
  await close();
});

/** The faults that the check of the rules finds, and the check of everything. */
const faultsIn = (file: string): unknown[] => {
  const store = openStore(file);
  try {
    return [store.journal.verifyRules()?.broken ?? null, verifyJournal(store)];
  } finally {
    store.close();
  }
};

describe('an edit of the database that', () => {
  it.each(Object.entries(edits))('%s freezes the treasury at the next start', async (what, sql) => {
    const folder = copy();
    edit(databaseOf(folder), sql);
    const treasury = await openTreasury({ dataDir: folder });
    try {
      await until(
        'the alarm',
        async () => (await treasury.client.get('/v1/dashboard')).body['frozen'] === true,
        10_000,
      );
      const agent = treasury.client.as(key);
      const refused = await agent.post('/v1/agents/victim/pay', {
        service: 'sandbox-weather',
        amount: '0.01',
        currency: 'USDC',
      });
      expect([refused.status, refused.body['code']]).toEqual([403, 'frozen']);
      // The chain, which is read beside the records, shows a forgotten payment too.
      const found =
        what === 'forgets a payment' ? /changed from outside|no payment explains/ : /changed from outside/;
      expect(refused.body['error']).toMatch(found);
    } finally {
      await treasury.close();
    }
  });

  it('hides a whole row from look-ups is noticed by both checks', () => {
    const file = databaseOf(copy());
    expect(faultsIn(file)).toEqual([null, null]);
    misleadIndex(file);
    const hidden = expect.stringMatching(/^service:[\w-]+ is not found by its id$/);
    expect(faultsIn(file)).toEqual([hidden, hidden]);
  });

  it.each([
    ['idempotency_id', false, /^idempotency:agent:victim .+ is not found by its id$/],
    ['transfer_signature', false, /^transfer:alc_\w+ is missing in an index$/],
    ['transfer_window', false, /^transfer:\w+ is missing in an index$/],
    ['transfer_window_all', false, /^transfer:\w+ is missing in an index$/],
    ['transfer_service', false, /^transfer:\w+ is missing in an index$/],
    ['agent_key_agent', true, /^agent_key:key_\w+ is missing in an index$/],
  ])('empties %s is noticed', (index, isRule, told) => {
    const file = databaseOf(copy());
    emptyIndex(file, index);
    const fault = expect.stringMatching(told);
    expect(faultsIn(file)).toEqual([isRule ? fault : null, fault]);
  });

  it('takes an open payment off the list of open ones is noticed', () => {
    const file = databaseOf(copy());
    edit(
      file,
      `DROP TRIGGER transfer_end_is_final`,
      `UPDATE transfer SET state = 'sent', is_open = 1 WHERE seq = 3`,
    );
    const fault = (): unknown => {
      const db = new Database(file);
      db.defaultSafeIntegers(true);
      try {
        const row = db.prepare('SELECT * FROM transfer WHERE seq = 3').get() as Row;
        db.prepare('UPDATE journal SET digest = ? WHERE seq = ?').run(
          digestRow('transfer', row),
          row['journal_seq'],
        );
        return createRowCheck(db, 'transfer')(row)?.broken ?? null;
      } finally {
        db.close();
      }
    };
    expect(fault()).toBe(null);
    emptyIndex(file, 'transfer_open');
    expect(fault()).toMatch(/^transfer:\w+ is missing in an index$/);
  });

  it('never happened leaves the treasury running', async () => {
    const treasury = await openTreasury({ dataDir: copy() });
    expect((await treasury.client.get('/v1/dashboard')).body['frozen']).toBe(false);
    await treasury.close();
  });
});

describe('a rolled-back copy of the database', () => {
  it('is noticed by the seal in the vault', async () => {
    const folder = copy();
    const older = join(folder, 'older.db');
    copyFileSync(databaseOf(folder), older);
    const treasury = await openTreasury({ dataDir: folder });
    const { seals, store } = treasury.host.engine.context;
    await treasury.client.post('/v1/agents/victim/rename', { displayName: 'later' });
    seals.seal(store.journal.head());
    await treasury.close();
    copyFileSync(older, databaseOf(folder));
    const again = await openTreasury({ dataDir: folder });
    const { body } = await again.client.get('/v1/dashboard');
    expect(body['frozen']).toBe(true);
    await again.close();
  });
});
