// The handle of SQLite that the parts of the store share.
import type Database from 'better-sqlite3';

export type Db = Database.Database;
