// A database as an older version would have left it: that version's tables, with the part of the same past that fits
// them, and a journal of its own. A seal of the real journal does not fit it.
import { renameSync } from 'node:fs';
import Database from 'better-sqlite3';
import { protectedTables, type ProtectedTable } from '../../../server/store/records/digests.ts';
import { applyMigrations } from '../../../server/store/database.ts';
import { createJournal, type Row } from '../../../server/store/records/journal.ts';

/** For tables that differed: their older columns, derived from today's. */
const older: Record<string, string> = {
  idempotency: `SELECT *, substr(id, 1, instr(id, ' ') - 1) AS scope, substr(id, instr(id, ' ') + 1) AS key FROM now.idempotency`,
  // Older versions recorded no SOL that came in.
  deposit: `SELECT * FROM now.deposit WHERE asset IS NULL`,
  meta: `SELECT * FROM now.meta WHERE name <> 'sol-until'`,
  known_payee: `SELECT *, substr(id, 1, instr(id, ' ') - 1) AS agent_id, substr(id, instr(id, ' ') + 1) AS payee FROM now.known_payee`,
};

/**
 * @param file of a database that nobody has open
 * @param edit changes what that version would have written otherwise
 */
export const makeOlder = (file: string, version: number, edit?: (db: Database.Database) => void): void => {
  const made = `${file}.older`;
  const db = new Database(made);
  db.defaultSafeIntegers(true);
  db.pragma('foreign_keys = OFF');
  db.prepare('ATTACH ? AS now').run(file);
  db.transaction(() => {
    applyMigrations(db, 0, version);
    const journal = createJournal(db, Date.now);
    const tables = db.pragma('main.table_list') as { schema: string; name: string; type: string }[];
    for (const { schema, name, type } of tables) {
      if (schema !== 'main' || type !== 'table' || name === 'journal' || name.startsWith('sqlite_')) continue;
      const columns = (db.pragma(`main.table_info(${name})`) as { name: string }[]).map((one) => one.name);
      const insert = db.prepare(
        `INSERT INTO main.${name} (${columns.join()}) VALUES (${columns.map((one) => `@${one}`).join()}) RETURNING *`,
      );
      const isProtected = name in protectedTables && columns.includes('journal_seq');
      for (const row of db.prepare(older[name] ?? `SELECT * FROM now.${name}`).all() as Row[]) {
        const written = insert.get({ ...row, journal_seq: journal.next() }) as Row;
        if (isProtected) journal.enter(name as ProtectedTable, written, true);
      }
    }
  })();
  db.exec('DETACH now');
  edit?.(db);
  db.close();
  renameSync(made, file);
};
