// The wallets on the owner's phones, the requests that they may answer, and their words. Every row is journalled.
import type { PhoneRequest, PhoneWallet, PhoneWord, Store } from '../engine/ports.ts';
import { usdc } from '../money.ts';
import type { Db } from './db.ts';
import type { Journal } from './records/journal.ts';
import { ifAny, mapper } from './row.ts';

/** Builds the store of remote words on an open database. */
export const createPhones = (db: Db, journal: Journal): Store['phones'] => {
  const put = db.prepare(/* sql */ `
    INSERT INTO phone_wallet (id, name, address, per_approval, per_day, registered_at, approves_from, removed_at, journal_seq)
    VALUES (@id, @name, @address, @perApproval, @perDay, @registeredAt, @approvesFrom, @removedAt, @journalSeq)
    ON CONFLICT (id) DO UPDATE SET per_approval = excluded.per_approval, per_day = excluded.per_day,
      approves_from = excluded.approves_from, removed_at = excluded.removed_at, journal_seq = excluded.journal_seq
    RETURNING *`);
  const has = db.prepare('SELECT id FROM phone_wallet WHERE id = ?');
  const wallets = db.prepare(
    'SELECT * FROM phone_wallet WHERE removed_at IS NULL ORDER BY registered_at, id',
  );
  const addRequest = db.prepare(/* sql */ `
    INSERT INTO phone_request (id, hash, reference, code, journal_seq)
    VALUES (@approvalId, @hash, @reference, @code, @journalSeq) RETURNING *`);
  const request = db.prepare('SELECT * FROM phone_request WHERE id = ?');
  const named = db.prepare('SELECT * FROM phone_request WHERE reference = ?');
  const addWord = db.prepare(/* sql */ `
    INSERT INTO phone_word (id, wallet_id, memo, approval_id, amount, why_not, at, journal_seq)
    VALUES (@signature, @walletId, @memo, @approvalId, @amount, @whyNot, @at, @journalSeq) RETURNING *`);
  const hasWord = db.prepare('SELECT id FROM phone_word WHERE id = ?');
  const words = db.prepare('SELECT * FROM phone_word ORDER BY at DESC, id LIMIT ?');
  const approved = db.prepare(
    'SELECT coalesce(sum(amount), 0) AS sum FROM phone_word WHERE wallet_id = ? AND at > ?',
  );
  const hasApproved = db.prepare(
    'SELECT 1 FROM phone_word WHERE approval_id = ? AND amount > 0 AND why_not IS NULL',
  );
  const known = journal.cache<readonly PhoneWallet[]>('phone_wallet');

  return {
    wallets: () => known.get('registered', () => wallets.all().map(toWallet)),
    put(wallet) {
      const isNew = has.get(wallet.id) === undefined;
      journal.enter('phone_wallet', put.get({ ...wallet, journalSeq: journal.next() }), isNew);
    },
    addRequest: (one) =>
      journal.enter('phone_request', addRequest.get({ ...one, journalSeq: journal.next() }), true),
    request: (approvalId) => requestIn(request.get(approvalId)),
    requestNamed: (reference) => requestIn(named.get(reference)),
    addWord: (word) =>
      journal.enter('phone_word', addWord.get({ ...word, journalSeq: journal.next() }), true),
    hasWord: (signature) => hasWord.get(signature) !== undefined,
    words: (limit) => words.all(limit).map(toWord),
    hasApproved: (approvalId) => hasApproved.get(approvalId) !== undefined,
    approvedSince: (walletId, since) => sumIn(approved.get(walletId, since)) ?? usdc(0n),
  };
};

const toWallet = mapper('phone_wallet', (row): PhoneWallet => ({
  id: row.text('id'),
  name: row.text('name'),
  address: row.text('address'),
  perApproval: row.usdc('per_approval'),
  perDay: row.usdc('per_day'),
  registeredAt: row.integer('registered_at'),
  approvesFrom: row.integer('approves_from'),
  removedAt: row.isNull('removed_at') ? null : row.integer('removed_at'),
}));
const requestIn = ifAny(
  mapper('phone_request', (row): PhoneRequest => ({
    approvalId: row.text('id'),
    hash: row.text('hash'),
    reference: row.text('reference'),
    code: row.text('code'),
  })),
);
const toWord = mapper('phone_word', (row): PhoneWord => ({
  signature: row.text('id'),
  walletId: row.text('wallet_id'),
  memo: row.text('memo'),
  approvalId: row.isNull('approval_id') ? null : row.text('approval_id'),
  amount: row.usdc('amount'),
  whyNot: row.isNull('why_not') ? null : row.text('why_not'),
  at: row.integer('at'),
}));
const sumIn = ifAny(mapper('phone_word', (row) => row.usdc('sum')));
