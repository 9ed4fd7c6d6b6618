// How many offers were made, by day and route: with the sales they say which share of them was paid. They are counted in
// memory and written together, so that a flood of requests costs one row in a few seconds; a crash loses what is in memory.
import type Database from 'better-sqlite3';
import type { InvoiceStore, Sold } from './invoice-store.ts';

export const offerSchema = `
  CREATE TABLE IF NOT EXISTS paywall_offer (
    day TEXT NOT NULL,
    service TEXT NOT NULL,
    route TEXT NOT NULL,
    made INTEGER NOT NULL,
    PRIMARY KEY (day, service, route)
  ) STRICT, WITHOUT ROWID;`;

const writeEveryMs = 5_000;

interface Counter {
  day: string;
  service: string;
  route: string;
  made: number;
}

/** The counters in this database, whose schema has `offerSchema`; `flush` writes what is in memory. */
export const offerRecords = (
  database: Database.Database,
): Required<Pick<InvoiceStore, 'countOffer'>> & { flush(): void } => {
  const add = database.prepare<Counter>(
    `INSERT INTO paywall_offer (day, service, route, made) VALUES (@day, @service, @route, @made)
     ON CONFLICT DO UPDATE SET made = made + @made`,
  );
  const counters = new Map<string, Counter>();
  let timer: NodeJS.Timeout | null = null;
  const write = database.transaction((rows: readonly Counter[]) => rows.forEach((row) => add.run(row)));
  const flush = (): void => {
    timer = null;
    const rows = [...counters.values()];
    counters.clear();
    if (rows.length === 0 || !database.open) return;
    write.immediate(rows);
    // The next ones overwrite the log instead of growing it.
    database.pragma('wal_checkpoint(PASSIVE)');
  };
  return {
    countOffer({ service, route }: Sold) {
      const day = new Date().toISOString().slice(0, 10);
      const key = `${day}\n${service ?? ''}\n${route ?? ''}`;
      const counter = counters.get(key) ?? { day, service: service ?? '', route: route ?? '', made: 0 };
      counter.made += 1;
      counters.set(key, counter);
      timer ??= setTimeout(flush, writeEveryMs).unref();
    },
    flush() {
      if (timer !== null) clearTimeout(timer);
      flush();
    },
  };
};
