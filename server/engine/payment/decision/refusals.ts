// The refusals that callers get for payments that were not made.
import { payAgain } from '../../../contract/refusals/to-agent.ts';
import { AppError } from '../../../errors.ts';
import type { HoldReason } from './decide.ts';
import type { Refusal } from '../../ports.ts';

export const refusalFrom = ({ code, message, details }: AppError): Refusal => ({
  code,
  message,
  details: details ?? {},
});

/** What the caller of a refused payment gets. @param paymentId the payment's, or that of the entry that counts it */
export const errorFrom = ({ code, message, details }: Refusal, paymentId: string): AppError =>
  new AppError(code, message, { ...details, paymentId });

export const paymentFailed = (message: string): Refusal => ({
  code: 'payment_failed',
  message: `${message} ${payAgain}`,
  details: {},
});

export const interrupted: Refusal = {
  code: 'payment_failed',
  message: `The treasury was interrupted before it signed this payment. Nothing was spent. ${payAgain}`,
  details: { reason: 'interrupted' },
};

export const notSigned: Refusal = {
  code: 'payment_failed',
  message: 'This payment could not be signed. Nothing was spent. The log of the treasury says why.',
  details: { reason: 'not_signed' },
};

/** The rules changed between reservation and signing, and now ask for an approval that does not exist. */
export const noLongerCovered = (because: HoldReason): Refusal => ({
  code: 'approval_cancelled',
  message: `${changes[because]} Nothing was spent. ${payAgain}`,
  details: { because },
});

const changes: Record<HoldReason, string> = {
  approve_above: 'The policy changed before this payment was signed, and the owner now has to allow it.',
  new_payee: 'This payee now needs the owner’s approval, so the payment was not signed.',
  payee_changed: 'The catalog changed before this payment was signed: the service names other payees now.',
  watch: 'The watch now holds this agent’s payments for the owner, so the payment was not signed.',
  open_account: 'The payee has no USDC account now, and the owner has to allow that one is opened.',
};

/** Refuses an approval whose payee was the service's when it was requested, and no longer is. */
export const payeeChangedSince: Refusal = {
  code: 'approval_cancelled',
  message:
    'The catalog changed after this approval was asked for: the service names other payees now. Nothing was spent. Ask the seller again.',
  details: { because: 'payee_changed' },
};

/** Refuses an approval whose payee had a USDC account when it was requested, and has none now. */
export const accountNeededSince: Refusal = {
  code: 'approval_cancelled',
  message:
    'The payee closed its USDC account after this approval was asked for. Nothing was spent. Pay again with a new Idempotency-Key: the owner is then asked to open one.',
  details: { because: 'open_account' },
};

export const chainUnreachable: Refusal = {
  code: 'chain_unreachable',
  message: 'The Solana network cannot be reached now. Nothing was spent. Try again in a moment.',
  details: {},
};

/** Never delivered: the caller has disconnected. */
export const callerHasGone = (): AppError =>
  new AppError('not_available', 'The caller has gone. Nothing was paid.');
