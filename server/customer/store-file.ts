import { existsSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { loadSqlite } from '../paywall/store/grant-store.ts';
import { columnsOf } from '../paywall/store/sales.ts';

/** Uses this file, which has to be a store of grants already. @throws Error that names the file */
export const withStoreFile = <T>(
  file: string,
  { readonly }: { readonly: boolean },
  use: (database: Database.Database) => T,
): T => {
  if (!existsSync(file)) throw new Error(`${file}: there is no such file`);
  const database = new (loadSqlite())(file, { readonly });
  try {
    if (!isStore(database)) throw new Error(`${file} is not a store of grants`);
    return use(database);
  } finally {
    database.close();
  }
};

const isStore = (database: Database.Database): boolean => {
  try {
    return columnsOf(database, 'paywall_grant').size > 0;
  } catch {
    return false;
  }
};
