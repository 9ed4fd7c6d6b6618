// Files under way: how far each of them is, for clients that show it.
import { randomBytes } from 'node:crypto';
import { AppError } from '../errors.ts';

export interface Progress {
  /** Rows of the journal. */
  read: number;
  rows: number;
}

export interface Exports {
  begin(rows: number): { id: string; reached(read: number): void; end(): void };
  /** @throws AppError `not_found` once it has ended */
  of(id: string): Progress;
}

export const createExports = (): Exports => {
  const open = new Map<string, Progress>();
  return {
    begin(rows) {
      const id = randomBytes(8).toString('hex');
      const progress = { read: 0, rows };
      open.set(id, progress);
      return {
        id,
        reached(read) {
          progress.read = Math.min(read, rows);
        },
        end: () => void open.delete(id),
      };
    },
    of(id) {
      const progress = open.get(id);
      if (progress === undefined) throw new AppError('not_found', 'This file is not being written now.');
      return { ...progress };
    },
  };
};
