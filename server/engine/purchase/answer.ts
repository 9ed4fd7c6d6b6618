// The reply to a paid fetch, from the row and the seller's answer.
import type { Reply } from '../../contract/schemas.ts';
import { AppError, invariant } from '../../errors.ts';
import { accepted, done } from '../calls/call.ts';
import type { Answer, DeliveredAnswer, Store, Streamed, Transfer } from '../ports.ts';
import { txSignatureOf } from '../payment/machine/tx-signature.ts';
import { amountOf } from '../domain/transfer.ts';
import { iso } from '../calls/views.ts';
import { statusOf } from '../domain/states.ts';
import { isCallersLimit } from './evidence.ts';

interface SellerResponse {
  /** The answer, while it is on its way to the disk or kept. */
  answer: DeliveredAnswer | undefined;
  /** The payment is being shown to its seller now. */
  isShown: boolean;
}

/**
 * @throws AppError as the payment was refused or failed; `not_delivered` when the seller has the money and did not
 *   deliver; `answer_too_large` and `answer_too_slow` when the answer was larger or later than the caller allowed
 */
export const fetchAnswer = (
  store: Pick<Store, 'approvals'>,
  row: Transfer,
  { answer, isShown }: SellerResponse,
): Answer<'fetch'> => {
  const { id, refusal, purchase, approvalId } = row;
  const evidence = purchase?.evidence ?? null;
  if (answer !== undefined) return delivered(answer, paymentOf(row));
  if (purchase?.delivery === 'delivered') {
    // The answer itself is kept for a day.
    const status = Number(evidence?.['status'] ?? 0);
    return done({ status, headers: {}, body: '', encoding: 'utf8', payment: paymentOf(row) });
  }
  const said = evidence === null ? {} : { seller: sellerOf(evidence) };
  const status = statusOf(row);
  switch (status) {
    case 'denied':
    case 'failed':
      invariant(refusal !== null, `a payment that is ${row.state} says why`);
      throw new AppError(refusal.code, refusal.message, { ...refusal.details, ...said, paymentId: id });
    case 'awaiting_approval': {
      const approval = approvalId === null ? undefined : store.approvals.get(approvalId);
      invariant(approval !== undefined, 'a held payment has its approval');
      const expiresAt = iso(approval.expiresAt);
      return accepted({ paymentId: id, status, approvalId: approval.id, expiresAt, message: ownersWord });
    }
    case 'pending':
    case 'unknown':
      if (isShown) return accepted({ paymentId: id, ...beingDelivered });
      refuseBeyondLimits(row);
      return accepted({ paymentId: id, status, ...said, message: evidence === null ? underWay : refused });
    case 'confirmed':
      if (isShown) return accepted({ paymentId: id, ...beingDelivered });
      refuseBeyondLimits(row);
      if (evidence === null)
        return accepted({ paymentId: id, status: 'pending' as const, message: paidNotShown });
      throw new AppError('not_delivered', notDelivered, {
        paymentId: id,
        txSignature: txSignatureOf(row),
        ...said,
        requestHash: purchase?.requestHash,
        evidence,
      });
  }
};

/** @param release gives back what is held for it */
export const delivered = (
  { body, ...head }: DeliveredAnswer,
  payment: Streamed['head']['payment'],
  release: () => void = () => {},
): Streamed => ({ kind: 'streamed', head: headFor(head, payment), body, release });

/** By these a seller has clients ask elsewhere, or as somebody else, by themselves. */
const askAgain = new Set(['location', 'www-authenticate']);

/**
 * The head of a seller's answer, as its caller gets it. After a payment, a request that the caller’s program repeats by
 * itself could be another purchase: a paid answer has those headers behind `x-treasury-`, and asks for no repetition.
 */
export const headFor = (
  { status, headers }: Omit<DeliveredAnswer, 'body'>,
  payment: Streamed['head']['payment'],
): Streamed['head'] => {
  const sellers = Object.entries(headers).filter(([name]) => !name.startsWith('x-treasury-'));
  if (payment === null) return { status, headers: Object.fromEntries(sellers), payment };
  const named = sellers.map(([name, value]) => [askAgain.has(name) ? `x-treasury-${name}` : name, value]);
  return { status, headers: { ...Object.fromEntries(named), 'x-should-retry': 'false' }, payment };
};

/** The seller did deliver: with other limits, the same payment gets the answer. */
const refuseBeyondLimits = ({ id, purchase }: Transfer): void => {
  const { code, error } = purchase?.evidence ?? {};
  if (code === 'answer_not_kept') throw answerNotKept(id);
  if (!isCallersLimit(code)) return;
  const field = code === 'answer_too_large' ? 'maxBytes' : 'timeoutSeconds';
  throw new AppError(
    code,
    `Paid. The answer exceeded this request’s limits: ${String(error)} Do not pay it again: call with the same Idempotency-Key and a higher ${field} to show the seller the same payment once more.`,
    { paymentId: id, field },
  );
};

export const answerNotKept = (paymentId: string): AppError =>
  new AppError(
    'answer_not_kept',
    `Paid and delivered once already. The answer was too large to keep, so this payment (${paymentId}) cannot fetch it again. Nothing more was paid.`,
    { paymentId },
  );

const sellerOf = (evidence: Readonly<Record<string, unknown>>) => ({
  status: typeof evidence['status'] === 'number' ? evidence['status'] : null,
  error: String(evidence['error'] ?? ''),
});

export const paymentOf = (row: Transfer): NonNullable<Reply<'fetch'>['payment']> => ({
  paymentId: row.id,
  service: row.serviceId ?? '',
  amount: amountOf(row),
  currency: row.asset,
  status: statusOf(row),
  txSignature: txSignatureOf(row),
  timestamp: iso(row.createdAt),
  dialect: row.purchase?.dialect ?? 'receipt',
});

const beingDelivered = {
  status: 'pending' as const,
  delivering: true,
  message:
    'The payment was shown to the seller and the answer is still being delivered. Call again with the same Idempotency-Key for it.',
};
const again = 'Call again with the same Idempotency-Key';
const ownersWord = `The owner has to allow this payment first. ${again}.`;
const underWay = `The payment is under way. ${again} for the answer.`;
const paidNotShown = `It is paid, and the seller has not been shown the payment yet. ${again}.`;
const refused = `The seller was shown the payment and did not deliver. Nothing is signed a second time: the money stays reserved until the chain shows what became of it. ${again} to show the same payment.`;
const notDelivered =
  'The seller was paid and did not deliver. Do not pay it again: call with the same Idempotency-Key to show it the same payment once more, or tell the owner.';
