// A disk that fails: the next commit of this process is refused, or is made and reported as refused. The statement is
// replaced, so everything above it is real.
import Database from 'better-sqlite3';

export const diskFaults = [
  'a commit fails',
  'a commit is made and reported as failed',
  'the disk is full',
] as const;
export type DiskFault = (typeof diskFaults)[number];

let armed: { fault: DiskFault; skip: number } | null = null;

/** @param skip commits that are still made */
export const failCommit = (fault: DiskFault, skip: number): void => void (armed = { fault, skip });
export const healDisk = (): void => void (armed = null);

const errors: Record<DiskFault, [message: string, code: string]> = {
  'a commit fails': ['disk I/O error', 'SQLITE_IOERR_WRITE'],
  'a commit is made and reported as failed': ['disk I/O error', 'SQLITE_IOERR_FSYNC'],
  'the disk is full': ['database or disk is full', 'SQLITE_FULL'],
};

/** Call it once, before a database is opened. */
export const installDiskFaults = (): void => {
  const { prepare } = Database.prototype;
  Database.prototype.prepare = function prepared(this: Database.Database, sql: string) {
    const statement = prepare.call(this, sql);
    if (sql !== 'COMMIT') return statement;
    const commit = statement.run.bind(statement) as () => Database.RunResult;
    statement.run = () => {
      if (armed === null) return commit();
      armed.skip -= 1;
      if (armed.skip >= 0) return commit();
      const { fault } = armed;
      armed = null;
      if (fault === 'a commit is made and reported as failed') commit();
      throw new Database.SqliteError(...errors[fault]);
    };
    return statement;
  } as typeof prepare;
};
