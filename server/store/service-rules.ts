// The owner's word on services: which no agent can pay, and which sellers are trusted. A payment's decision reads it.
import type { ServiceRule, Store } from '../engine/ports.ts';
import type { Db } from './db.ts';
import type { Journal } from './journal.ts';
import { ifAny, mapper } from './row.ts';

const none: ServiceRule = { blockedAt: null, trustedAt: null };

export const createServiceRules = (db: Db, journal: Journal): Store['serviceRules'] => {
  const get = db.prepare('SELECT * FROM service_rule WHERE id = ?');
  const put = db.prepare(/* sql */ `
    INSERT INTO service_rule (id, blocked_at, trusted_at, journal_seq)
    VALUES (@id, @blockedAt, @trustedAt, @journalSeq)
    ON CONFLICT (id) DO UPDATE SET blocked_at = excluded.blocked_at, trusted_at = excluded.trusted_at,
      journal_seq = excluded.journal_seq
    RETURNING *`);
  const known = journal.cache<ServiceRule>('service_rule');
  const ruleOf = (id: string): ServiceRule => known.get(id, () => ruleIn(get.get(id)) ?? none);
  return {
    get: ruleOf,
    set(id, change) {
      const created = get.get(id) === undefined;
      const row = put.get({ ...ruleOf(id), ...change, id, journalSeq: journal.next() });
      journal.enter('service_rule', row, created);
      return ruleOf(id);
    },
  };
};

const ruleIn = ifAny(
  mapper('service_rule', (row): ServiceRule => ({
    blockedAt: row.integerOrNull('blocked_at'),
    trustedAt: row.integerOrNull('trusted_at'),
  })),
);
