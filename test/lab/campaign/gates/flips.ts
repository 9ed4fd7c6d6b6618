// One byte of the database is changed at a time: the change is noticed, or has no effect.
import Database from 'better-sqlite3';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyJournal } from '../../../../server/engine/records/audit.ts';
import type { Store } from '../../../../server/engine/ports.ts';
import { createStore } from '../../../../server/store/store.ts';
import type { Dice } from '../../../harness/dice.ts';
import { between } from '../gate.ts';

/** The values that are looked up by name, each with an index of its own. */
interface Names {
  keys: (readonly [scope: string, key: string])[];
  transfers: string[];
  signatures: string[];
  approvals: string[];
  hashes: string[];
  payees: (readonly [agentId: string, payee: string])[];
  places: { origin: string; path: string }[];
}

/** Neither holds a space here. */
const words = (id: string): [string, string] => {
  const [first = '', second = ''] = id.split(' ');
  return [first, second];
};

const namesIn = (file: string): Names => {
  const db = new Database(file, { readonly: true });
  const all = <T>(sql: string): T[] => db.prepare(sql).pluck().all() as T[];
  const rows = <T>(sql: string): T[] => db.prepare(sql).all() as T[];
  try {
    return {
      keys: all<string>('SELECT id FROM idempotency').map(words),
      transfers: all('SELECT id FROM transfer'),
      signatures: all('SELECT signature FROM transfer WHERE signature IS NOT NULL'),
      approvals: all('SELECT id FROM approval'),
      hashes: all('SELECT hash FROM agent_key'),
      payees: all<string>('SELECT id FROM known_payee').map(words),
      places: rows('SELECT origin, path FROM service_facts WHERE listed = 1 AND origin IS NOT NULL'),
    };
  } finally {
    db.close();
  }
};

/** Everything that decides which payments are allowed, and records them. */
const stateOf = (store: Store, now: number, names: Names): string => {
  const agents = store.agents.list();
  return JSON.stringify(
    {
      agents,
      policies: agents.map(({ agentId }) => store.policies.get(agentId)),
      keys: agents.map(({ agentId }) => store.keys.list(agentId)),
      spent: agents.map(({ agentId }) => store.spend.at(agentId, now)),
      spentByAll: store.spend.at(null, now),
      transfers: [...store.transfers.iterate({})],
      approvals: store.approvals.list(500),
      grants: store.grants.list(),
      service: store.services.get('sandbox-weather'),
      ceiling: store.limits.get('').dailyBudget,
      freeze: store.freeze.get(),
      balances: [...store.ledger.balances()],
      wallets: store.wallets.list(),
      head: store.journal.head(),
      pending: store.approvals.pending(),
      open: store.transfers.open().map(({ id }) => id),
      remembered: names.keys.map(([scope, key]) => store.idempotency.find(scope, key)),
      byId: names.transfers.map((id) => [store.transfers.get(id)?.seq, store.transfers.state(id)]),
      bySignature: names.signatures.map((signature) => store.transfers.bySignature(signature)?.seq),
      approvalsById: names.approvals.map((id) => store.approvals.get(id)),
      keysByHash: names.hashes.map((hash) => store.keys.byHash(hash)),
      payees: names.payees.map(([agentId, payee]) => store.payees.knownSince(agentId, payee)),
      places: names.places.map(({ origin, path }) => store.services.at(origin, path)?.id),
    },
    (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value),
  );
};

export interface FlipReport {
  flips: number;
  /** The file or its journal shows an error. */
  detected: number;
  /** An unused page or byte. */
  withoutEffect: number;
  /** The log's own checksum dropped commits: a rolled-back copy, which only the chain or the seal reveals. */
  older: { file: string; bytes: Buffer }[];
  silent: string[];
}

const files = ['treasury.db', 'treasury.db-wal'];

/** @param from the folder of a host's database that no process has open */
export const flipBytes = (from: string, folder: string, dice: Dice, flips: number): FlipReport => {
  const now = Date.now();
  const originals = files
    .filter((name) => existsSync(join(from, name)))
    .map((name) => ({ name, bytes: readFileSync(join(from, name)) }));
  const file = join(folder, 'treasury.db');
  const open = (): { state: string; head: number; broken: string | null } => {
    const store = createStore({ file, now: () => now, onHalt: () => {} });
    try {
      const broken = verifyJournal(store) ?? store.journal.verifyRules()?.broken ?? null;
      return { state: stateOf(store, now, names), head: store.journal.head().seq, broken };
    } finally {
      store.close();
    }
  };
  const restore = (): void => {
    for (const name of [...files, 'treasury.db-shm'])
      if (existsSync(join(folder, name))) writeFileSync(join(folder, name), '');
    for (const { name, bytes } of originals) writeFileSync(join(folder, name), bytes);
  };
  restore();
  const names = namesIn(file);
  const truth = open();
  if (truth.broken !== null) throw new Error(`the untouched copy is said to be broken: ${truth.broken}`);

  const report: FlipReport = { flips: 0, detected: 0, withoutEffect: 0, older: [], silent: [] };
  for (let flip = 0; flip < flips; flip += 1) {
    restore();
    // The log is long and mostly covered by its own checksums.
    const target = originals[originals.length > 1 && dice.isLucky(0.2) ? 1 : 0];
    if (target === undefined) throw new Error('there is no database');
    const bytes = Buffer.from(target.bytes);
    const at = between(dice, 0, bytes.length - 1);
    bytes[at] = (bytes[at] ?? 0) ^ between(dice, 1, 255);
    writeFileSync(join(folder, target.name), bytes);
    report.flips += 1;
    let seen;
    try {
      seen = open();
    } catch {
      report.detected += 1;
      continue;
    }
    if (seen.broken !== null) report.detected += 1;
    else if (seen.state === truth.state) report.withoutEffect += 1;
    else if (seen.head < truth.head) report.older.push({ file: target.name, bytes });
    else
      report.silent.push(
        `${target.name}, byte ${at} of ${bytes.length}: ${difference(truth.state, seen.state)}`,
      );
  }
  return report;
};

const difference = (was: string, is: string): string => {
  let at = 0;
  while (was[at] === is[at] && at < was.length) at += 1;
  return `${was.slice(Math.max(0, at - 60), at + 60)} -> ${is.slice(Math.max(0, at - 20), at + 60)}`;
};

/** Moves everything from the log into the file, as a clean stop does. */
export const checkpoint = (folder: string): void => {
  const db = new Database(join(folder, 'treasury.db'));
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
};

export const copyDatabase = (from: string, to: string): void => {
  for (const name of files) if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name));
};
