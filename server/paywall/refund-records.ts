// The refunds of a seller, one for each payment.
import type Database from 'better-sqlite3';
import type { GrantStore, Refund } from './types.ts';

export const refundSchema = `
  CREATE TABLE IF NOT EXISTS paywall_refund (
    tx_signature TEXT PRIMARY KEY NOT NULL REFERENCES paywall_grant (tx_signature),
    refund_signature TEXT NOT NULL UNIQUE,
    wire TEXT NOT NULL,
    last_valid_block_height INTEGER NOT NULL
  ) STRICT;`;

/** The refunds in this database, whose schema has `refundSchema`. Each change is one statement. */
export const refundRecords = (
  database: Database.Database,
): Required<Pick<GrantStore, 'findRefund' | 'saveRefund'>> => {
  const select = database.prepare<[string], Refund>(
    `SELECT tx_signature AS txSignature, refund_signature AS refundSignature, wire,
            last_valid_block_height AS lastValidBlockHeight
     FROM paywall_refund WHERE tx_signature = ?`,
  );
  const insert = database.prepare<Refund>(
    `INSERT INTO paywall_refund (tx_signature, refund_signature, wire, last_valid_block_height)
     VALUES (@txSignature, @refundSignature, @wire, @lastValidBlockHeight) ON CONFLICT DO NOTHING`,
  );
  const replace = database.prepare<Refund & { insteadOf: string }>(
    `UPDATE paywall_refund SET refund_signature = @refundSignature, wire = @wire,
       last_valid_block_height = @lastValidBlockHeight
     WHERE tx_signature = @txSignature AND refund_signature = @insteadOf`,
  );
  return {
    findRefund: (txSignature) => select.get(txSignature),
    saveRefund(refund, insteadOf) {
      const saved = insteadOf === null ? insert.run(refund) : replace.run({ ...refund, insteadOf });
      return saved.changes === 1;
    },
  };
};
