// Approvals, standing approvals, and the payees that an agent has paid before.
import type { Approval, StandingGrant, Store } from '../engine/ports.ts';
import { invariant } from '../errors.ts';
import { usdc } from '../money.ts';
import type { Db } from './db.ts';
import type { Journal, Row } from './journal.ts';
import { integer, integerOrNull, json, jsonOrNull, text, textOrNull, units } from './rows.ts';

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
    UPDATE approval SET status = @status, decided_at = @now, result = @result, journal_seq = @journalSeq
    WHERE id = @id AND status = 'pending' RETURNING *`);

  return {
    insert(approval) {
      const values = {
        ...approval,
        shown: JSON.stringify(approval.shown),
        result: null,
        journalSeq: journal.next(),
      };
      journal.enter('approval', insert.get(values) as Row, true);
    },
    get(id) {
      const row = get.get(id) as Row | undefined;
      return row === undefined ? undefined : toApproval(row);
    },
    pending: (agentId) => (pending.all({ agentId: agentId ?? null }) as Row[]).map(toApproval),
    list: (limit) => (list.all(limit) as Row[]).map(toApproval),
    decide(id, status, now, result = null) {
      const values = { id, status, now, result: result === null ? null : JSON.stringify(result) };
      const row = decide.get({ ...values, journalSeq: journal.next() }) as Row | undefined;
      if (row === undefined) return false;
      journal.enter('approval', row, false);
      return true;
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
      AND until > @now AND revoked_at IS NULL
      AND EXISTS (SELECT 1 FROM json_each(standing_grant.payees) WHERE value = @payee) ORDER BY until LIMIT 1`);
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
      journal.enter('standing_grant', insert.get(values) as Row, true);
    },
    get: (id) => grantIn(get.get(id)),
    list: () => (list.all() as Row[]).map(toGrant),
    usable: (wanted) => grantIn(usable.get(wanted)),
    draw(id, amount) {
      const row = draw.get(amount, journal.next(), id) as Row | undefined;
      invariant(row !== undefined, `standing approval ${id} is in force`);
      journal.enter('standing_grant', row, false);
    },
    end(id, now, because) {
      const row = end.get(now, because ?? null, journal.next(), id) as Row | undefined;
      if (row === undefined) return false;
      journal.enter('standing_grant', row, false);
      return true;
    },
  };
};

export const createPayees = (db: Db, journal: Journal): Store['payees'] => {
  const since = db.prepare('SELECT since FROM known_payee WHERE id = ?').pluck();
  const insert = db.prepare('INSERT INTO known_payee (id, since, journal_seq) VALUES (?, ?, ?) RETURNING *');
  const knownSince = (agentId: string, payee: string): number | null => {
    const at = since.get(`${agentId} ${payee}`) as bigint | undefined;
    return at === undefined ? null : Number(at);
  };
  return {
    known: (agentId, payee) => knownSince(agentId, payee) !== null,
    knownSince,
    remember(agentId, payee, now) {
      if (knownSince(agentId, payee) !== null) return;
      journal.enter('known_payee', insert.get(`${agentId} ${payee}`, now, journal.next()) as Row, true);
    },
  };
};

const toApproval = (row: Row): Approval => ({
  id: text(row, 'id'),
  agentId: text(row, 'agent_id'),
  keyId: textOrNull(row, 'key_id'),
  kind: text(row, 'kind') as Approval['kind'],
  shown: json<Record<string, unknown>>(row, 'shown'),
  hash: text(row, 'hash'),
  policyVersion: integer(row, 'policy_version'),
  transferId: textOrNull(row, 'transfer_id'),
  status: text(row, 'status') as Approval['status'],
  createdAt: integer(row, 'created_at'),
  expiresAt: integer(row, 'expires_at'),
  decidedAt: integerOrNull(row, 'decided_at'),
  result: jsonOrNull<Record<string, unknown>>(row, 'result'),
});

const grantIn = (row: unknown): StandingGrant | undefined =>
  row === undefined ? undefined : toGrant(row as Row);

const toGrant = (row: Row): StandingGrant => ({
  id: text(row, 'id'),
  agentId: text(row, 'agent_id'),
  serviceId: text(row, 'service_id'),
  payees: jsonOrNull<string[]>(row, 'payees') ?? [],
  upTo: usdc(units(row, 'up_to')),
  used: usdc(units(row, 'used')),
  until: integer(row, 'until'),
  createdAt: integer(row, 'created_at'),
  revokedAt: integerOrNull(row, 'revoked_at'),
  endedBecause: textOrNull(row, 'ended_because'),
});
