// A complete long past, written by SQL in minutes: every row that the store itself would have written for payments
// that went through or were denied, with their journal, ledger, keys, receipts, signed bytes and sums. The rows are
// copied from payments that a real host made; see build-store.ts.
//
// One thing differs: the digests of the states that a payment passed through are made up, since nothing can be
// compared with them any more. Only the last one of a row is ever read.
import Database from 'better-sqlite3';
import { digestRow, link, subjectOf, type Row } from '../../../server/store/records/digests.ts';
import { text, units } from './row-values.ts';
import { agentsOf, modelsOf, servicesOf, type Models } from './past-models.ts';
import { createPieces } from './past-pieces.ts';
import { createSums } from './past-sums.ts';

export interface Past {
  now: number;
  payments: number;
  /** The number of days before the last 24 hours over which they are spread. */
  days?: number;
  /** Called now and then with the number of written payments. */
  progress?: (written: number) => void;
}

export const dayMs = 86_400_000;
/** At least one payment in so many is in the last 24 hours. */
const inWindow = 100;
/** One in so many was denied. */
const denied = 50;
const servicesPerAgent = 3;

/** Appends the past to the store, which must be closed, and made by `buildBase`. */
export const writePast = (file: string, past: Past): void => {
  const db = new Database(file);
  try {
    db.defaultSafeIntegers(true);
    // Without the WAL, which would write everything twice. An interruption means starting over.
    for (const pragma of [
      'journal_mode = DELETE',
      'journal_mode = MEMORY',
      'synchronous = OFF',
      'foreign_keys = OFF',
    ])
      db.pragma(pragma);
    db.pragma('cache_size = -2000000');
    db.pragma('temp_store = FILE');
    db.transaction(() => writeAll(db, past))();
  } finally {
    db.close();
  }
};

const writeAll = (db: Database.Database, { now, payments, days = 365, progress }: Past): void => {
  const models = modelsOf(db);
  const agents = agentsOf(db);
  const services = servicesOf(db);
  const pieces = createPieces(models);
  const write = createWriter(db, models);
  const sums = createSums(db, now - dayMs, write.payee);
  const older = payments - Math.floor(payments / Math.min(inWindow, days));
  const step = (days * dayMs) / Math.max(1, older);
  for (let n = 0; n < payments; n += 1) {
    const at = Math.floor(
      n < older
        ? now - (days + 1) * dayMs + n * step
        : now - dayMs + ((n - older + 1) * dayMs) / (payments - older + 1),
    );
    const agent = agents[pieces.below(agents.length)];
    if (agent === undefined) throw new Error('there are agents');
    const service =
      services[(agent.index * servicesPerAgent + pieces.below(servicesPerAgent)) % services.length];
    if (service === undefined) throw new Error('there are services');
    const amount = BigInt(1_000 + pieces.below(49_000));
    const isDenied = n % denied === denied - 1;
    const row = isDenied
      ? pieces.denied({ agent, service, amount, at })
      : pieces.paid({ agent, service, amount, at });
    write.transfer(row, isDenied ? 1 : models.entries, at);
    write.key(row, pieces.key(), pieces.hash(), at);
    if (!isDenied) {
      write.postings(row);
      sums.add({ agent, service, amount, fee: units(row, 'fee_lamports'), at });
    }
    if (n % 100_000 === 0) progress?.(n);
  }
  for (const [agent, amount] of sums.write()) write.allocation(agent, amount, pieces);
  write.end();
};

const createWriter = (db: Database.Database, models: Models) => {
  const head = db.prepare('SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1').get() as Row;
  let seq = Number(head['seq']);
  let hash = head['hash'] as Buffer;
  const columns = Object.keys(models.paid);
  const insert = db.prepare(
    `INSERT INTO transfer (${columns.join()}) VALUES (${columns.map(() => '?').join()})`,
  );
  const journal = db.prepare('INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?)');
  const posting = db.prepare('INSERT INTO entry (source, account, amount) VALUES (?, ?, ?)');
  const isKnown = db.prepare('SELECT 1 FROM known_payee WHERE id = ?');
  const known = db.prepare('INSERT INTO known_payee VALUES (?, ?, ?)');
  const accounts = new Map<string, bigint>();
  const wallets = new Set(models.wallets);
  // They are built at the end: rows at random places of a large index cost a page each.
  const indexOfKeys = text(
    db.prepare(`SELECT sql FROM sqlite_master WHERE name = 'idempotency_id'`).get() as Row,
    'sql',
  );
  db.exec('DROP INDEX idempotency_id');
  const idempotency = db.prepare('INSERT INTO idempotency VALUES (?, ?, ?, ?, ?, ?, ?)');
  let next = units(db.prepare('SELECT max(seq) + 1 AS next FROM transfer').get() as Row, 'next');

  const enter = (subject: string, isFirst: boolean, digest: Buffer, at: number): void => {
    seq += 1;
    hash = link(hash, { seq, at, subject, created: isFirst, digest });
    journal.run(seq, at, subject, isFirst ? 1 : 0, digest, hash);
  };
  const post = (source: string, from: string, to: string, amount: bigint): void => {
    if (amount === 0n) return;
    for (const [account, change] of [[from, -amount] as const, [to, amount] as const]) {
      posting.run(source, account, change);
      accounts.set(account, (accounts.get(account) ?? 0n) + change);
    }
  };
  const accountOf = (address: unknown): string =>
    wallets.has(String(address)) ? `USDC:${String(address)}` : 'USDC:outside';

  const transfer = (row: Row, entries: number, at: number): void => {
    const subject = subjectOf('transfer', row);
    row['seq'] = next;
    next += 1n;
    row['journal_seq'] = BigInt(seq + entries);
    for (let entry = 1; entry < entries; entry += 1) {
      enter(subject, entry === 1, hash, at);
    }
    enter(subject, entries === 1, digestRow('transfer', row), at);
    insert.run(columns.map((column) => row[column]));
  };
  const postings = (row: Row): void => {
    const id = String(row['id']);
    post(id, accountOf(row['wallet']), accountOf(row['payee']), units(row, 'amount'));
    post(id, 'SOL:fees-paid-from', 'SOL:network-fees', units(row, 'fee_lamports'));
  };
  return {
    transfer,
    postings,
    key(payment: Row, key: string, bodyHash: string, at: number) {
      const row: Row = {
        id: `agent:${String(payment['agent_id'])} ${key}`,
        route: 'pay',
        body_hash: bodyHash,
        transfer_id: payment['id'],
        approval_id: null,
        created_at: payment['created_at'],
        journal_seq: BigInt(seq + 1),
      };
      enter(subjectOf('idempotency', row), true, digestRow('idempotency', row), at);
      idempotency.run(Object.values(row));
    },
    payee(agentId: string, payee: string, at: number) {
      const row: Row = {
        id: `${agentId} ${payee}`,
        since: BigInt(at),
        journal_seq: BigInt(seq + 1),
      };
      if (isKnown.get(row['id']) !== undefined) return;
      enter(subjectOf('known_payee', row), true, digestRow('known_payee', row), at);
      known.run(Object.values(row));
    },
    /** The deposit and allocation to the agent that keep the ledger equal to the chain. */
    allocation(agentId: string, amount: bigint, pieces: ReturnType<typeof createPieces>) {
      const row = pieces.allocated(agentId, amount);
      transfer(row, models.allocationEntries, Number(row['created_at']));
      postings(row);
      post('opening', 'USDC:outside', accountOf(row['wallet']), amount);
    },
    end() {
      const add = db.prepare(
        'INSERT INTO account (name, balance) VALUES (?, ?) ON CONFLICT DO UPDATE SET balance = balance + excluded.balance',
      );
      for (const [name, change] of accounts) add.run(name, change);
      db.exec(indexOfKeys);
    },
  };
};
