// Puts the tables together behind the engine's Store port.
import type { Freeze, Store, Remembered } from '../engine/ports.ts';
import { invariant } from '../errors.ts';
import { createAgents, createKeys } from './agents.ts';
import { createBackups } from './records/backup.ts';
import { createBooks } from './books.ts';
import { createBoosts } from './boosts.ts';
import { createApprovals, createGrants, createPayees } from './approvals.ts';
import { createCold, createColdSums } from './cold.ts';
import { createSources } from './catalog/catalog-sources.ts';
import { checkpointWhenIdle } from './records/checkpoints.ts';
import { openDatabase, type OpenOptions } from './database.ts';
import { createTransactions } from './transfers/transactions.ts';
import type { Db } from './db.ts';
import { createGroups } from './groups.ts';
import { createJournal, type Journal } from './records/journal.ts';
import { createKeptAnswers } from './answers/kept-answers.ts';
import { createLedger } from './records/ledger.ts';
import { createIdentities, createLinks, createPublicAddress, createSignIn } from './links.ts';
import { createModelRequests } from './model-requests.ts';
import { createLanguageModels, createModelSuppliers } from './models.ts';
import { createNotices } from './notices.ts';
import { ifAny, mapper } from './row.ts';
import { createRefusals } from './transfers/refusals.ts';
import { createServiceRules } from './catalog/service-rules.ts';
import { createServices } from './catalog/services.ts';
import { createLimits, createPolicies } from './policies.ts';
import { createPhones } from './phones.ts';
import { createPurchases } from './transfers/purchases.ts';
import { createSpending } from './spending/spending.ts';
import { createModels, createTasks } from './tasks.ts';
import { createTransfers } from './transfers/transfers.ts';
import { createWatch } from './watch.ts';
import { createSellerSignIns } from './seller-sign-ins.ts';

interface StoreOptions extends OpenOptions {
  now: () => number;
  /** Called once, when the disk fails; from then on every transaction throws AppError `halted`. */
  onHalt: (error: Error) => void;
}

/** Opens the store of one network. @throws as `openDatabase` does */
export const createStore = ({ now, onHalt, ...open }: StoreOptions): Store => {
  const db = openDatabase(open);
  try {
    return storeOn(db, open.file, now, onHalt);
  } catch (error) {
    // The file is damaged: release its lock at once.
    db.close();
    throw error;
  }
};

const storeOn = (db: Db, file: string, now: StoreOptions['now'], onHalt: StoreOptions['onHalt']): Store => {
  const journal = createJournal(db, now);
  const coldSums = createColdSums(db);
  const ledger = createLedger(db, coldSums);
  const spending = createSpending(db);
  const purchases = createPurchases(db, journal);
  const transactions = createTransactions(db, journal.reload, onHalt);
  const backups = createBackups(db, file, transactions, journal.head);
  const endCheckpoints = checkpointWhenIdle(db, transactions, backups.isHeld);
  const freeze = createFreeze(db, journal);
  const services = createServices(db, journal);
  if (journal.head().seq === 0) transactions.atomically(() => freeze.set(null));
  const newest = ['transfer', 'model_request'].map((table) =>
    db.prepare(`SELECT created_at AS at FROM ${table} ORDER BY seq DESC LIMIT 1`),
  );

  return {
    atomically: transactions.atomically,
    grouped: transactions.grouped,
    lazily: transactions.lazily,
    undone: transactions.undone,
    close() {
      endCheckpoints();
      transactions.flush();
      db.close();
      backups.close();
    },
    copyTo: backups.copyTo,
    newestTime: () => Math.max(...newest.map((one) => timeIn(one.get()) ?? 0)),
    transfers: createTransfers(db, journal, { spending, ledger, purchases }),
    modelRequests: createModelRequests(db, journal, spending),
    answers: createKeptAnswers(db),
    spend: spending,
    agents: createAgents(db, journal, ledger),
    groups: createGroups(db, journal),
    policies: createPolicies(db, journal),
    limits: createLimits(db, journal),
    boosts: createBoosts(db, journal),
    keys: createKeys(db, journal),
    approvals: createApprovals(db, journal),
    grants: createGrants(db, journal),
    payees: createPayees(db, journal),
    idempotency: createIdempotency(db, journal),
    refusals: createRefusals(db),
    wishes: createWishes(db, journal),
    sellerSignIns: createSellerSignIns(db, journal),
    watch: createWatch(db, journal),
    wallets: ledger.wallets,
    cold: createCold(db, journal, coldSums),
    deposits: ledger.deposits,
    services,
    serviceRules: createServiceRules(db, journal, services),
    sources: createSources(db, services),
    tasks: createTasks(db, journal),
    models: createModels(db, journal),
    modelSuppliers: createModelSuppliers(db, journal),
    languageModels: createLanguageModels(db, journal),
    links: createLinks(db),
    identities: createIdentities(db, journal),
    signIn: createSignIn(db, journal),
    publicAddress: createPublicAddress(db, journal),
    notices: createNotices(db, journal),
    phones: createPhones(db, journal),
    freeze,
    meta: createMeta(db),
    ledger: { balances: ledger.balances, open: ledger.open },
    books: createBooks(db, journal),
    journal,
  };
};

/** Holds one row from the first start on. An unreadable or empty table throws, so nothing is paid. */
const createFreeze = (db: Db, journal: Journal): Store['freeze'] => {
  const get = db.prepare('SELECT since, reason FROM freeze WHERE id = 1');
  const set = db.prepare(/* sql */ `
    INSERT INTO freeze (id, since, reason, journal_seq) VALUES (1, @since, @reason, @journalSeq)
    ON CONFLICT (id) DO UPDATE SET since = excluded.since, reason = excluded.reason,
      journal_seq = excluded.journal_seq
    RETURNING *`);
  return {
    get(): Freeze | null {
      const row = get.get();
      invariant(row !== undefined, 'the freeze can be read');
      return toFreeze(row);
    },
    set(freeze) {
      const created = get.get() === undefined;
      const values = {
        since: freeze?.since ?? null,
        reason: freeze?.reason ?? null,
        journalSeq: journal.next(),
      };
      journal.enter('freeze', set.get(values), created);
    },
  };
};

const createMeta = (db: Db): Store['meta'] => {
  const get = db.prepare('SELECT value FROM meta WHERE name = ?');
  const set = db.prepare(
    'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  return {
    get: (name) => valueIn(get.get(name)),
    set: (name, value) => void set.run(name, value),
  };
};

const timeIn = ifAny(mapper('transfer', (row) => row.integer('at')));
const valueIn = ifAny(mapper('meta', (row) => row.text('value')));
const toFreeze = mapper('freeze', (row): Freeze | null =>
  row.isNull('since') ? null : { since: row.integer('since'), reason: row.text('reason') },
);

// The meaning of each idempotency key, for ever: never pruned, and protected as the payment itself is.

/** Unambiguous: no scope holds a space. */
const idOf = (scope: string, key: string): string => `${scope} ${key}`;

const createIdempotency = (db: Db, journal: Journal): Store['idempotency'] => {
  const find = db.prepare('SELECT * FROM idempotency WHERE id = ?');
  // A trigger refuses the update unless the transfer of this key was canceled.
  const set = db.prepare(/* sql */ `
    INSERT INTO idempotency (id, route, body_hash, transfer_id, approval_id, created_at, journal_seq)
    VALUES (@id, @route, @bodyHash, @transferId, @approvalId, @now, @journalSeq)
    ON CONFLICT (id) DO UPDATE SET route = excluded.route, body_hash = excluded.body_hash,
      transfer_id = excluded.transfer_id, approval_id = excluded.approval_id, created_at = excluded.created_at,
      journal_seq = excluded.journal_seq
    RETURNING *`);
  return {
    find: (scope, key) => rememberedIn(find.get(idOf(scope, key))),
    remember(scope, key, what, now) {
      const id = idOf(scope, key);
      const isNew = find.get(id) === undefined;
      const row = set.get({ ...what, id, now, journalSeq: journal.next() });
      journal.enter('idempotency', row, isNew);
    },
  };
};

const rememberedIn = ifAny(
  mapper('idempotency', (row): Remembered => ({
    route: row.text('route'),
    bodyHash: row.text('body_hash'),
    transferId: row.textOrNull('transfer_id'),
    approvalId: row.textOrNull('approval_id'),
  })),
);

/**
 * Requests that clients may continue: the transfer that answers each, and whether the client has the
 * answer.
 */
const createWishes = (db: Db, journal: Journal): Store['wishes'] => {
  const insert = db.prepare(
    'INSERT INTO wish (transfer_id, hash, created_at, journal_seq) VALUES (@transferId, @hash, @createdAt, @journalSeq) RETURNING *',
  );
  const open = db.prepare(
    'SELECT transfer_id FROM wish WHERE hash = ? AND received_at IS NULL ORDER BY created_at, rowid',
  );
  const receive = db.prepare(
    'UPDATE wish SET received_at = ?, journal_seq = ? WHERE transfer_id = ? AND received_at IS NULL RETURNING *',
  );
  return {
    insert: (wish) => journal.enter('wish', insert.get({ ...wish, journalSeq: journal.next() }), true),
    open: (hash) => open.all(hash).map(toTransferId),
    receive(transferId, now) {
      const row = receive.get(now, journal.next(), transferId);
      if (row === undefined) return false;
      journal.enter('wish', row, false);
      return true;
    },
  };
};

const toTransferId = mapper('wish', (row) => row.text('transfer_id'));
