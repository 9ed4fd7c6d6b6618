// The owner's word on services: which no agent can pay, and which sellers are trusted. A payment's decision reads it.
import { allStates, isOpen, isPaid } from '../../engine/domain/states.ts';
import type { Service, ServiceRule, Store } from '../../engine/ports.ts';
import type { Db } from '../db.ts';
import type { Journal } from '../records/journal.ts';
import { contains, placeOf, type Place } from '../transfers/places.ts';
import { ifAny, mapper } from '../row.ts';

/** A block remembers the payees that were paid last, for a service that names another for each payment. */
const mostPayees = 200;
/** A refused request names any payee that the agent likes. */
const paying = allStates.filter((state) => isOpen({ state }) || isPaid({ state }));

interface Rule extends ServiceRule {
  id: string;
  /** Of a blocked service: its payees, pinned or paid, when it was blocked. */
  payees: readonly string[];
}

export const createServiceRules = (
  db: Db,
  journal: Journal,
  services: Pick<Store['services'], 'get'>,
): Store['serviceRules'] => {
  const sql = statementsOf(db);
  const known = journal.cache<Rule>('service_rule');
  const blocks = journal.cache<Rule[]>('service_rule');
  const ruleOf = (id: string): Rule => known.get(id, () => ruleIn(sql.get.get(id)) ?? { ...none, id });
  const payeesOf = (id: string): string[] => [
    ...new Set([...(services.get(id)?.payees ?? []), ...sql.paid.all(id).map(toPayee)]),
  ];
  return {
    get: ruleOf,
    set(id, change) {
      const created = sql.get.get(id) === undefined;
      const before = ruleOf(id);
      const next = { ...before, ...change };
      const payees = next.blockedAt === null ? [] : before.blockedAt === null ? payeesOf(id) : before.payees;
      const written = payees.length === 0 ? null : JSON.stringify(payees);
      const row = sql.put.get({ ...next, payees: written, journalSeq: journal.next() });
      journal.enter('service_rule', row, created);
      return ruleOf(id);
    },
    blocking({ serviceId, payee, url }) {
      const inForce = blocks.get('', () => sql.blocked.all().map(toRule));
      if (inForce.length === 0) return null;
      const at = url === null ? placeOfService(serviceId, services.get(serviceId)) : placeOfUrl(url);
      const isSameSeller = ({ id, payees }: Rule): boolean => {
        const blocked = placeOfService(id, services.get(id));
        return payees.includes(payee) || (at !== null && blocked !== null && contains(blocked, at));
      };
      return (inForce.find(({ id }) => id === serviceId) ?? inForce.find(isSameSeller))?.id ?? null;
    },
  };
};

const placeOfUrl = (url: string): Place => {
  const { origin, pathname } = new URL(url);
  return { origin, path: pathname.replace(/\/+$/, '') };
};

/** Outside the catalog a service is an origin. */
const placeOfService = (id: string, service: Service | undefined): Place | null =>
  service !== undefined ? placeOf(service) : URL.canParse(id) ? placeOfUrl(id) : null;

const statementsOf = (db: Db) => ({
  get: db.prepare('SELECT * FROM service_rule WHERE id = ?'),
  blocked: db.prepare('SELECT * FROM service_rule WHERE blocked_at IS NOT NULL ORDER BY blocked_at, id'),
  paid: db.prepare(/* sql */ `
    WITH paid AS (
      SELECT id, payee, seq FROM transfer
      WHERE service_id = ? AND kind = 'payment' AND state IN ('${paying.join(`','`)}')
    )
    SELECT payee FROM (
      SELECT payee, seq FROM paid
      UNION ALL
      SELECT part.value ->> 'payee', seq FROM paid JOIN purchase ON purchase.transfer_id = paid.id, json_each(purchase.splits) AS part
    ) GROUP BY payee ORDER BY max(seq) DESC LIMIT ${mostPayees}`),
  put: db.prepare(/* sql */ `
    INSERT INTO service_rule (id, blocked_at, trusted_at, blocked_payees, journal_seq)
    VALUES (@id, @blockedAt, @trustedAt, @payees, @journalSeq)
    ON CONFLICT (id) DO UPDATE SET blocked_at = excluded.blocked_at, trusted_at = excluded.trusted_at,
      blocked_payees = excluded.blocked_payees, journal_seq = excluded.journal_seq
    RETURNING *`),
});

const none = { blockedAt: null, trustedAt: null, payees: [] };

const toRule = mapper('service_rule', (row): Rule => ({
  id: row.text('id'),
  blockedAt: row.integerOrNull('blocked_at'),
  trustedAt: row.integerOrNull('trusted_at'),
  payees: row.stringsOrNull('blocked_payees') ?? [],
}));
const ruleIn = ifAny(toRule);
const toPayee = mapper('transfer', (row) => row.text('payee'));
