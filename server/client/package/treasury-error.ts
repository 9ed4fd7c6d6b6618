// A refusal by the treasury, or its silence, as the callers of this package see it.
import { stepsFor } from '../../contract/refusals/to-agent.ts';
import {
  AppError,
  codeTable,
  errorCodes,
  refusalOf,
  type ErrorCode,
  type ErrorDetails,
} from '../../errors.ts';

/** `code` is for programs, `message` and `nextStep` are for people. */
export class TreasuryError extends Error {
  override readonly name = 'TreasuryError';
  /** `keys_full` is of this package: too many paid answers were never read to their end. */
  readonly code: ErrorCode | 'keys_full';
  /** The HTTP status; null when the treasury did not answer. */
  readonly status: number | null;
  readonly details: ErrorDetails;
  /** The time from which the same request can be paid, where a limit refused it. */
  readonly retryAt: Date | null;
  readonly paymentId: string | null;
  readonly approvalId: string | null;
  readonly nextStep: string;

  constructor(
    code: TreasuryError['code'],
    message: string,
    details: ErrorDetails = {},
    status: number | null = null,
  ) {
    super(message);
    const { retryAt, paymentId, approvalId } = details;
    this.code = code;
    this.status = status;
    this.details = details;
    this.retryAt = typeof retryAt === 'string' ? new Date(retryAt) : null;
    this.paymentId = typeof paymentId === 'string' ? paymentId : null;
    this.approvalId = typeof approvalId === 'string' ? approvalId : null;
    this.nextStep = nextStepOf(code, details);
  }
}

/** The texts and codes that the client for Python has in common with this one. */
export const clientTexts = {
  unsettled: ['awaiting_approval', 'payment_pending'],
  nextStep: {
    ...stepsFor('program'),
    keys_full: 'Read the answers that you buy to their end, or name an Idempotency-Key of your own.',
  } as Readonly<Record<string, string>>,
  nextStepWithTime: 'Repeat the request at {retryAt}, or ask the owner for a higher limit.',
  nextStepWithWait: 'Repeat the same request in {retryAfterSeconds} seconds.',
  otherwise: 'Repeat the same request later, or tell the owner.',
};

const nextStepOf = (code: string, { retryAt, retryAfterSeconds }: ErrorDetails): string => {
  const { nextStep, nextStepWithTime, nextStepWithWait, otherwise } = clientTexts;
  if (typeof retryAt === 'string') return nextStepWithTime.replace('{retryAt}', retryAt);
  const named = nextStep[code];
  if (named !== undefined) return named;
  if (typeof retryAfterSeconds !== 'number') return otherwise;
  return nextStepWithWait.replace('{retryAfterSeconds}', String(retryAfterSeconds));
};

/** The payment is under way, or waits for the owner. */
export const isUnsettled = ({ code }: TreasuryError): boolean => clientTexts.unsettled.includes(code);

/** Refusals of a payment, which are final for its idempotency key. */
export const nothingSpent: readonly string[] = errorCodes.filter(
  (code) =>
    (codeTable[code].status === 402 && !clientTexts.unsettled.includes(code)) || code === 'payment_failed',
);

/**
 * Nothing was spent under this idempotency key, and nothing can be: the next equal request needs another one. A stop
 * ends a payment that is not signed.
 */
export const endsKey = ({ code, details }: TreasuryError): boolean =>
  nothingSpent.includes(code) || (['suspended', 'frozen'].includes(code) && details['isSigned'] === false);

/** @param answer the body of a refusal */
export const errorIn = (status: number, answer: unknown): TreasuryError => {
  const { code, message, details } = refusalOf(status, answer);
  return new TreasuryError(code, message, details, status);
};

/** The errors of the files that this package shares with the treasury's own clients. */
export const asTreasuryError = (error: unknown): unknown =>
  error instanceof AppError ? new TreasuryError(error.code, error.message, error.details) : error;
