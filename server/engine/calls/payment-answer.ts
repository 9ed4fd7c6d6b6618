// A payment's receipt, and its present state as the answer to `pay`.
import { AppError, invariant } from '../../errors.ts';
import { isPaid, statusOf } from '../domain/states.ts';
import { errorFrom } from '../payment/decision/refusals.ts';
import { txSignatureOf } from '../payment/machine/tx-signature.ts';
import type { Answer, Transfer } from '../ports.ts';
import { accepted, done, type EngineContext } from './call.ts';
import { amountOf } from '../domain/transfer.ts';
import { iso } from './views.ts';

/** The stored receipt, or one made now if the treasury was locked when it was seen. Null until it is confirmed. */
export const receiptOf = ({ keys, receipts }: EngineContext, transfer: Transfer): string | null => {
  if (transfer.kind !== 'payment' || !isPaid(transfer)) return null;
  if (transfer.receipt !== null || keys.locked() || transfer.blockTime === null) return transfer.receipt;
  return receipts.issue(transfer, transfer.blockTime);
};

/** A payment's present state as the answer to `pay`. @throws AppError for a payment that was refused or failed */
export const paymentAnswer = (context: EngineContext, transfer: Transfer): Answer<'pay'> => {
  const { id, refusal, state } = transfer;
  const status = statusOf(transfer);
  switch (status) {
    case 'confirmed': {
      const receipt = receiptOf(context, transfer);
      const txSignature = txSignatureOf(transfer);
      invariant(txSignature !== null, 'a confirmed payment has a signature');
      if (receipt === null)
        throw new AppError('locked', 'It is paid; unlock the treasury to get the receipt.', {
          paymentId: id,
        });
      return done({
        paymentId: id,
        txSignature,
        amount: amountOf(transfer),
        currency: transfer.asset,
        status,
        timestamp: iso(transfer.createdAt),
        xPaymentHeader: receipt,
      });
    }
    case 'pending':
    case 'unknown':
      return accepted({ paymentId: id, status });
    case 'awaiting_approval': {
      const approval =
        transfer.approvalId === null ? undefined : context.store.approvals.get(transfer.approvalId);
      invariant(approval !== undefined, 'a held payment has its approval');
      return accepted({ paymentId: id, status, approvalId: approval.id, expiresAt: iso(approval.expiresAt) });
    }
    case 'denied':
    case 'failed':
      invariant(refusal !== null, `a payment that is ${state} says why`);
      throw errorFrom(refusal, id);
  }
};
