// Statements that are prepared when they are first used. A process of a world is short and uses a third of the
// statements that a store has; to prepare all of them took half of a world's time.
import Database from 'better-sqlite3';

/** Call it once, before a database is opened. */
export const installLazyStatements = (): void => {
  const { prepare } = Database.prototype;
  Database.prototype.prepare = function prepared(this: Database.Database, sql: string) {
    let made: Record<string | symbol, unknown> | undefined;
    let isPlucked = false;
    const make = () => {
      const statement = prepare.call(this, sql);
      return (isPlucked ? statement.pluck() : statement) as unknown as Record<string | symbol, unknown>;
    };
    const lazy: object = new Proxy(
      {},
      {
        get: (_, name) => {
          if (name === 'pluck')
            return () => {
              isPlucked = true;
              return lazy;
            };
          made ??= make();
          const value = made[name];
          return typeof value === 'function' ? (value.bind(made) as unknown) : value;
        },
      },
    );
    return lazy;
  } as typeof prepare;
};
