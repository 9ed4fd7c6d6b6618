// The evidence of a purchase: how often and when the payment was shown, and what the seller said, which is never a proof.
import type { ErrorCode } from '../../errors.ts';
import { iso } from '../calls/views.ts';
import type { Purchase, SellerAnswer, Sellers, SellersStatements, Transfer } from '../ports.ts';

export type PurchaseRow = Transfer & { purchase: Purchase };

/** The seller gave no answer that we could take. */
export interface Silence {
  error: string;
  code: ErrorCode;
}

/** The answer was larger or later than the caller allowed: with other limits, the same payment may get it. */
export const isCallersLimit = (
  code: unknown,
): code is 'answer_too_large' | 'answer_too_slow' | 'answer_not_kept' =>
  code === 'answer_too_large' || code === 'answer_too_slow' || code === 'answer_not_kept';
export const isAnswer = (said: SellerAnswer | Silence): said is SellerAnswer => 'status' in said;

const errorOf = (said: SellerAnswer | Silence, word: string | null): string =>
  isAnswer(said) ? (word ?? `The seller answered ${said.status}.`) : said.error;

interface Heard {
  said: SellerAnswer | Silence;
  /** The seller's claim about the settlement. */
  word: ReturnType<Sellers['settlement']> | null;
  ok: boolean;
  /** The caller's own limits do not count against the seller. */
  code: ErrorCode | null;
  now: number;
  latencyMs: number;
}

export const evidenceOf = (
  sellers: Pick<Sellers, 'statements'>,
  row: PurchaseRow,
  { said, word, ok, code, now, latencyMs }: Heard,
) => {
  const { evidence } = row.purchase;
  const answer = isAnswer(said) ? said : null;
  return {
    shown: Number(evidence?.['shown'] ?? 0) + 1,
    firstShownAt: evidence?.['firstShownAt'] ?? iso(now - Math.round(latencyMs)),
    answeredAt: iso(now),
    status: answer?.status ?? null,
    error: ok ? null : errorOf(said, word?.error ?? null),
    ...(code === null ? {} : { code }),
    ...(word === null ? {} : { sellersWord: { success: word.success, txSignature: word.txSignature } }),
    ...signedIn(
      evidence?.['statements'] as SellersStatements | undefined,
      answer === null ? noStatements : sellers.statements(paidTermsOf(row), answer),
    ),
  };
};

const paidTermsOf = (row: PurchaseRow): Parameters<Sellers['statements']>[0] => {
  const { purchase, amount, payee, wallet, createdAt } = row;
  const { terms, url } = purchase;
  return { terms, url, amount, payee, payer: wallet, at: createdAt };
};

const noStatements: SellersStatements = { offer: null, receipt: null };

/** Shown again, a seller need not sign again: what holds is kept. */
const signedIn = (
  before: SellersStatements = noStatements,
  now: SellersStatements,
): { statements?: SellersStatements } => {
  const kept = (field: keyof SellersStatements) =>
    before[field]?.why === null ? before[field] : (now[field] ?? before[field]);
  const [offer, receipt] = [kept('offer'), kept('receipt')];
  return offer === null && receipt === null ? {} : { statements: { offer, receipt } };
};
