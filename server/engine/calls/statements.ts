// A seller's signed statements about a payment, held against the transaction that paid it.
import type { Purchase, SellersStatements, Statement } from '../ports.ts';

/** The evidence of a purchase as it is shown. @param txSignature null while it is not known */
export const shownEvidence = (
  evidence: Purchase['evidence'],
  txSignature: string | null,
): Record<string, unknown> | null => {
  if (evidence === null) return null;
  const { statements } = evidence as { statements?: SellersStatements };
  if (statements === undefined) return { ...evidence };
  const { offer, receipt } = statements;
  return { ...evidence, statements: { offer, receipt: receipt && held(receipt, txSignature) } };
};

const held = (receipt: Statement, txSignature: string | null): Statement => {
  const { transaction, why } = receipt;
  if (why !== null || transaction === null || transaction === txSignature) return receipt;
  return {
    ...receipt,
    why:
      txSignature === null ? 'The transaction that paid is not known yet.' : 'It names another transaction.',
  };
};
