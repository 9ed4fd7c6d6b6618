// Purchases: each row belongs to a transfer, and is written in the transactions of its steps.
import type { Purchase, Split } from '../../engine/ports.ts';
import { dialects } from '../../contract/payments/dialects.ts';
import { carriers, deliveries } from '../../engine/domain/purchase.ts';
import { invariant } from '../../errors.ts';
import { usdc } from '../../money.ts';
import type { Db } from '../db.ts';
import type { Journal } from '../records/journal.ts';
import { ifAny, mapper } from '../row.ts';

export interface Purchases {
  insert(transferId: string, purchase: Purchase): void;
  get(transferId: string): Purchase | null;
  /** Notes the signature by which the chain knows it; null when it no longer does. */
  name(transferId: string, txSignature: string | null): void;
  deliver(
    transferId: string,
    delivery: Purchase['delivery'],
    evidence: NonNullable<Purchase['evidence']>,
  ): void;
  transferBySignature(txSignature: string): string | undefined;
}

export const createPurchases = (db: Db, journal: Journal): Purchases => {
  const insert = db.prepare(/* sql */ `
    INSERT INTO purchase (transfer_id, dialect, fee_payer, memo, terms, carrier, method, url, request_hash,
      tx_signature, delivery, evidence, splits, journal_seq)
    VALUES (@transferId, @dialect, @feePayer, @memo, @terms, @carrier, @method, @url, @requestHash, @txSignature,
      @delivery, @evidence, @splits, @journalSeq) RETURNING *`);
  const get = db.prepare('SELECT * FROM purchase WHERE transfer_id = ?');
  const bySignature = db.prepare('SELECT transfer_id FROM purchase WHERE tx_signature = ?');
  const name = db.prepare(
    'UPDATE purchase SET tx_signature = @txSignature, journal_seq = @journalSeq WHERE transfer_id = @transferId RETURNING *',
  );
  const deliver = db.prepare(/* sql */ `
    UPDATE purchase SET delivery = @delivery, evidence = @evidence, journal_seq = @journalSeq
    WHERE transfer_id = @transferId RETURNING *`);

  const known = journal.cache<Purchase | null>('purchase');

  const enter = (row: unknown, created: boolean): void => {
    invariant(row !== undefined, 'a purchase that changes exists');
    journal.enter('purchase', row, created);
  };

  return {
    insert(transferId, { terms, evidence, splits, ...plain }) {
      const values = {
        terms: JSON.stringify(terms),
        evidence: evidence && JSON.stringify(evidence),
        splits: splits.length === 0 ? null : JSON.stringify(splits.map(splitRow)),
      };
      enter(insert.get({ ...plain, ...values, transferId, journalSeq: journal.next() }), true);
    },
    get: (transferId) => known.get(transferId, () => purchaseIn(get.get(transferId)) ?? null),
    name: (transferId, txSignature) =>
      enter(name.get({ transferId, txSignature, journalSeq: journal.next() }), false),
    transferBySignature: (txSignature) => transferIn(bySignature.get(txSignature)),
    deliver(transferId, delivery, evidence) {
      const values = { transferId, delivery, evidence: JSON.stringify(evidence) };
      enter(deliver.get({ ...values, journalSeq: journal.next() }), false);
    },
  };
};

/** Micro-USDC as text: JSON has no integers of their size. */
const splitRow = ({ payee, amount, memo }: Split) => ({ payee, amount: String(amount), memo });
const toSplit = ({ payee, amount, memo }: ReturnType<typeof splitRow>): Split => ({
  payee,
  amount: usdc(BigInt(amount)),
  memo,
});

const toPurchase = mapper('purchase', (row): Purchase => ({
  dialect: row.word('dialect', dialects),
  feePayer: row.textOrNull('fee_payer'),
  memo: row.textOrNull('memo'),
  splits: row.objects<ReturnType<typeof splitRow>>('splits').map(toSplit),
  terms: row.object<Purchase['terms']>('terms'),
  carrier: row.word('carrier', carriers),
  method: row.text('method'),
  url: row.text('url'),
  requestHash: row.text('request_hash'),
  txSignature: row.textOrNull('tx_signature'),
  delivery: row.word('delivery', deliveries),
  evidence: row.objectOrNull<NonNullable<Purchase['evidence']>>('evidence'),
}));

const purchaseIn = ifAny(toPurchase);
const transferIn = ifAny(mapper('purchase', (row) => row.text('transfer_id')));
