// The size of a database, and of each of its tables.
import { statSync } from 'node:fs';
import Database from 'better-sqlite3';

export interface Size {
  bytes: number;
  perPayment: number;
  /** Bytes per payment, by table or index; the largest first. */
  parts: Record<string, number>;
}

const mostParts = 14;

/** The database must be closed. */
export const sizeOf = (file: string, payments: number): Size => {
  const { size: bytes } = statSync(file);
  const db = new Database(file, { readonly: true });
  try {
    const rows = db
      .prepare(
        'SELECT name, sum(pgsize) AS bytes FROM dbstat WHERE aggregate = 1 GROUP BY name ORDER BY 2 DESC LIMIT ?',
      )
      .all(mostParts) as { name: string; bytes: number }[];
    const parts = rows.map(({ name, bytes: some }) => [name, Math.round(some / payments)] as const);
    return { bytes, perPayment: Math.round(bytes / payments), parts: Object.fromEntries(parts) };
  } finally {
    db.close();
  }
};
