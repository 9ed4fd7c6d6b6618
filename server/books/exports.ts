// Files under way: how far each of them is, for clients that show it.
import { randomUUID } from 'node:crypto';

export interface Progress {
  isUnderWay: boolean;
  /** Rows of the journal. */
  read: number;
  rows: number;
}

export interface Exports {
  /** @param id chosen by the client; without one, nobody can ask for it */
  begin(rows: number, id?: string): { reached(read: number): void; end(): void };
  of(id: string): Progress;
}

export const createExports = (): Exports => {
  const open = new Map<string, Progress>();
  return {
    begin(rows, id = randomUUID()) {
      const progress = { isUnderWay: true, read: 0, rows };
      open.set(id, progress);
      return {
        reached(read) {
          progress.read = Math.min(read, rows);
        },
        end: () => void open.delete(id),
      };
    },
    of: (id) => open.get(id) ?? { isUnderWay: false, read: 0, rows: 0 },
  };
};
