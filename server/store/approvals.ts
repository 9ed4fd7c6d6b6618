// Approvals, standing approvals, and the payees that an agent has paid before.
import type { Approval, StandingGrant, Store } from '../engine/ports.ts';
import { approvalKinds, approvalStatuses } from '../engine/domain/approval.ts';
import { invariant } from '../errors.ts';
import type { Db } from './db.ts';
import type { Journal } from './records/journal.ts';
import { ifAny, mapper } from './row.ts';

export const createApprovals = (db: Db, journal: Journal): Store['approvals'] => {
  const insert = db.prepare(/* sql */ `
    INSERT INTO approval (id, agent_id, key_id, kind, shown, hash, policy_version, transfer_id, status, created_at,
      expires_at, decided_at, result, journal_seq)
    VALUES (@id, @agentId, @keyId, @kind, @shown, @hash, @policyVersion, @transferId, @status, @createdAt,
      @expiresAt, @decidedAt, @result, @journalSeq) RETURNING *`);
  const get = db.prepare('SELECT * FROM approval WHERE id = ?');
  // Few are pending, and SQLite does not know that.
  const pending = db.prepare(
    `SELECT * FROM approval INDEXED BY approval_pending WHERE status = 'pending' AND (@agentId IS NULL OR agent_id = @agentId) ORDER BY created_at`,
  );
  const list = db.prepare('SELECT * FROM approval ORDER BY rowid DESC LIMIT ?');
  const decide = db.prepare(/* sql */ `
    UPDATE approval SET status = @status, decided_at = @now, result = @result, deny_at = NULL, journal_seq = @journalSeq
    WHERE id = @id AND status = 'pending' RETURNING *`);
  const denyLater = db.prepare(/* sql */ `
    UPDATE approval SET deny_at = @at, journal_seq = @journalSeq WHERE id = @id AND status = 'pending' RETURNING *`);

  return {
    insert(approval) {
      const values = {
        ...approval,
        shown: JSON.stringify(approval.shown),
        result: null,
        journalSeq: journal.next(),
      };
      journal.enter('approval', insert.get(values), true);
    },
    get: (id) => approvalIn(get.get(id)),
    pending: (agentId) => pending.all({ agentId: agentId ?? null }).map(toApproval),
    list: (limit) => list.all(limit).map(toApproval),
    decide(id, status, now, result = null) {
      const values = { id, status, now, result: result === null ? null : JSON.stringify(result) };
      const row = decide.get({ ...values, journalSeq: journal.next() });
      if (row === undefined) return false;
      journal.enter('approval', row, false);
      return true;
    },
    denyAt(id, at) {
      const row = denyLater.get({ id, at, journalSeq: journal.next() });
      invariant(row !== undefined, `approval ${id} is pending`);
      journal.enter('approval', row, false);
    },
  };
};

export const createGrants = (db: Db, journal: Journal): Store['grants'] => {
  const insert = db.prepare(/* sql */ `
    INSERT INTO standing_grant (id, agent_id, service_id, payees, up_to, used, until, created_at, revoked_at,
      ended_because, journal_seq)
    VALUES (@id, @agentId, @serviceId, @payees, @upTo, @used, @until, @createdAt, @revokedAt, @endedBecause,
      @journalSeq) RETURNING *`);
  const list = db.prepare('SELECT * FROM standing_grant ORDER BY created_at DESC');
  const get = db.prepare('SELECT * FROM standing_grant WHERE id = ?');
  const usable = db.prepare(/* sql */ `
    SELECT * FROM standing_grant WHERE agent_id = @agentId AND service_id = @serviceId AND up_to - used >= @amount
      AND until > @now AND revoked_at IS NULL AND created_at >= @since
      AND NOT EXISTS (SELECT value FROM json_each(@payees) EXCEPT SELECT value FROM json_each(standing_grant.payees))
    ORDER BY until LIMIT 1`);
  const draw = db.prepare(
    'UPDATE standing_grant SET used = used + ?, journal_seq = ? WHERE id = ? AND revoked_at IS NULL RETURNING *',
  );
  const end = db.prepare(
    `UPDATE standing_grant SET revoked_at = ?, ended_because = ?, journal_seq = ? WHERE id = ? AND revoked_at IS NULL
     RETURNING *`,
  );

  return {
    insert(grant) {
      const values = { ...grant, payees: JSON.stringify(grant.payees), journalSeq: journal.next() };
      journal.enter('standing_grant', insert.get(values), true);
    },
    get: (id) => grantIn(get.get(id)),
    list: () => list.all().map(toGrant),
    usable: ({ payees, ...wanted }) =>
      grantIn(usable.get({ since: 0, ...wanted, payees: JSON.stringify(payees) })),
    draw(id, amount) {
      const row = draw.get(amount, journal.next(), id);
      invariant(row !== undefined, `standing approval ${id} is in force`);
      journal.enter('standing_grant', row, false);
    },
    end(id, now, because) {
      const row = end.get(now, because ?? null, journal.next(), id);
      if (row === undefined) return false;
      journal.enter('standing_grant', row, false);
      return true;
    },
  };
};

export const createPayees = (db: Db, journal: Journal): Store['payees'] => {
  const since = db.prepare('SELECT since FROM known_payee WHERE id = ?');
  const insert = db.prepare('INSERT INTO known_payee (id, since, journal_seq) VALUES (?, ?, ?) RETURNING *');
  const knownSince = (agentId: string, payee: string): number | null =>
    sinceIn(since.get(`${agentId} ${payee}`)) ?? null;
  const labels = db.prepare('SELECT * FROM label WHERE label IS NOT NULL ORDER BY label');
  const labeled = db.prepare('SELECT 1 FROM label WHERE address = ?');
  const setLabel = db.prepare(/* sql */ `
    INSERT INTO label (address, label, journal_seq) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET label = excluded.label, journal_seq = excluded.journal_seq RETURNING *`);
  return {
    known: (agentId, payee) => knownSince(agentId, payee) !== null,
    knownSince,
    remember(agentId, payee, now) {
      if (knownSince(agentId, payee) !== null) return;
      journal.enter('known_payee', insert.get(`${agentId} ${payee}`, now, journal.next()), true);
    },
    labels: () => labels.all().map(toLabel),
    setLabel(address, label) {
      const isNew = labeled.get(address) === undefined;
      journal.enter('label', setLabel.get(address, label, journal.next()), isNew);
    },
  };
};

const toLabel = mapper('label', (row) => ({ address: row.text('address'), label: row.text('label') }));

const toApproval = mapper('approval', (row): Approval => ({
  id: row.text('id'),
  agentId: row.text('agent_id'),
  keyId: row.textOrNull('key_id'),
  kind: row.word('kind', approvalKinds),
  shown: row.object<Record<string, unknown>>('shown'),
  hash: row.text('hash'),
  policyVersion: row.integer('policy_version'),
  transferId: row.textOrNull('transfer_id'),
  status: row.word('status', approvalStatuses),
  createdAt: row.integer('created_at'),
  expiresAt: row.integer('expires_at'),
  decidedAt: row.integerOrNull('decided_at'),
  denyAt: row.integerOrNull('deny_at'),
  result: row.objectOrNull<Record<string, unknown>>('result'),
}));

const toGrant = mapper('standing_grant', (row): StandingGrant => ({
  id: row.text('id'),
  agentId: row.text('agent_id'),
  serviceId: row.text('service_id'),
  payees: row.stringsOrNull('payees') ?? [],
  upTo: row.usdc('up_to'),
  used: row.usdc('used'),
  until: row.integer('until'),
  createdAt: row.integer('created_at'),
  revokedAt: row.integerOrNull('revoked_at'),
  endedBecause: row.textOrNull('ended_because'),
}));

const approvalIn = ifAny(toApproval);
const grantIn = ifAny(toGrant);
const sinceIn = ifAny(mapper('known_payee', (row) => row.integer('since')));
