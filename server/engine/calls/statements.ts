// A seller's signed statements about a payment, held against the transaction that paid it.
import type { Purchase, SellersStatements, SoldUsage, Statement } from '../ports.ts';

/** The evidence of a purchase as it is shown. @param txSignature null while it is not known */
export const shownEvidence = (
  all: Purchase['evidence'],
  txSignature: string | null,
): { evidence: Record<string, unknown> | null; modelUsage: SoldUsage | null } => {
  if (all === null) return { evidence: null, modelUsage: null };
  const { usage: modelUsage = null, ...evidence } = all as { usage?: SoldUsage };
  const { statements } = all as { statements?: SellersStatements };
  if (statements === undefined) return { evidence, modelUsage };
  const { offer, receipt } = statements;
  const shown = { offer, receipt: receipt && held(receipt, txSignature) };
  return { evidence: { ...evidence, statements: shown }, modelUsage };
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
