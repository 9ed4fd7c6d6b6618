// The refunds of a seller, one for each payment.
import type Database from 'better-sqlite3';
import type { GrantStore, Refund } from '../types.ts';

export const refundSchema = `
  CREATE TABLE IF NOT EXISTS paywall_refund (
    tx_signature TEXT PRIMARY KEY NOT NULL REFERENCES paywall_grant (tx_signature),
    refund_signature TEXT NOT NULL UNIQUE,
    wire TEXT NOT NULL,
    last_valid_block_height INTEGER NOT NULL,
    landed INTEGER NOT NULL DEFAULT 0 CHECK (landed IN (0, 1))
  ) STRICT;`;

interface RefundRow extends Omit<Refund, 'landed'> {
  landed: number;
}

/** The refunds in this database, whose schema has `refundSchema`. Each change is one statement. */
export const refundRecords = (
  database: Database.Database,
): Required<Pick<GrantStore, 'findRefund' | 'saveRefund'>> => {
  const select = database.prepare<[string], RefundRow>(
    `SELECT tx_signature AS txSignature, refund_signature AS refundSignature, wire,
            last_valid_block_height AS lastValidBlockHeight, landed
     FROM paywall_refund WHERE tx_signature = ?`,
  );
  const insert = database.prepare<RefundRow>(
    `INSERT INTO paywall_refund (tx_signature, refund_signature, wire, last_valid_block_height, landed)
     VALUES (@txSignature, @refundSignature, @wire, @lastValidBlockHeight, @landed) ON CONFLICT DO NOTHING`,
  );
  const replace = database.prepare<RefundRow & { insteadOf: string }>(
    `UPDATE paywall_refund SET refund_signature = @refundSignature, wire = @wire,
       last_valid_block_height = @lastValidBlockHeight, landed = @landed
     WHERE tx_signature = @txSignature AND refund_signature = @insteadOf`,
  );
  return {
    findRefund(txSignature) {
      const row = select.get(txSignature);
      return row && { ...row, landed: row.landed === 1 };
    },
    saveRefund(refund, insteadOf) {
      const row = { ...refund, landed: refund.landed === true ? 1 : 0 };
      const saved = insteadOf === null ? insert.run(row) : replace.run({ ...row, insteadOf });
      return saved.changes === 1;
    },
  };
};
