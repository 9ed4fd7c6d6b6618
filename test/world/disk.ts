// The disk of a life: the place of its database, its contents at any moment, and what a crash leaves of it.
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

export interface Disk {
  /** The database that is open, or opened next. */
  file(): string;
  /** Saves the present contents of the disk for `turnOver`. */
  keep(): void;
  turnOver(): void;
  /** The rows with these bytes that are on the disk now. */
  onDisk(wire: Buffer): { id: string }[];
  /** The number of requests to models with this id that are on the disk now. */
  requestsOnDisk(id: string): number;
  remove(): void;
}

export const createDisk = (folder: string, template: Buffer): Disk => {
  let place = 0;
  const fileOf = (n: number): string => join(folder, `${n}`, 't.db');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, '0'), { recursive: true });
  writeFileSync(fileOf(0), template);

  const copyTo = (target: string): void => {
    mkdirSync(join(target, '..'), { recursive: true });
    const from = fileOf(place);
    copyFileSync(from, target);
    if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${target}-wal`);
  };

  /** Asks a copy of what is on the disk now. */
  const ask = (sql: string, value: Buffer | string): { id: string }[] => {
    const target = join(folder, 'look', 't.db');
    rmSync(join(folder, 'look'), { recursive: true, force: true });
    copyTo(target);
    const db = new Database(target);
    try {
      db.pragma('locking_mode = EXCLUSIVE');
      return db.prepare<[Buffer | string], { id: string }>(sql).all(value);
    } finally {
      db.close();
    }
  };

  return {
    file: () => fileOf(place),
    keep: () => copyTo(fileOf(place + 1)),
    turnOver() {
      rmSync(join(fileOf(place), '..'), { recursive: true, force: true });
      place += 1;
    },
    onDisk: (wire) => ask('SELECT id FROM transfer WHERE wire = ?', wire),
    requestsOnDisk: (id) => ask('SELECT id FROM model_request WHERE id = ?', id).length,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
