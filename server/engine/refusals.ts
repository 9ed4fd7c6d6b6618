// What a caller is told of a payment that came to nothing.
import type { AppError } from '../errors.ts';
import type { Refusal } from './ports.ts';

export const refusalFrom = ({ code, message, details }: AppError): Refusal => ({
  code,
  message,
  details: details ?? {},
});

export const paymentFailed = (message: string): Refusal => ({
  code: 'payment_failed',
  message: `${message} Pay again with a new Idempotency-Key.`,
  details: {},
});

export const interrupted: Refusal = {
  code: 'payment_failed',
  message:
    'The treasury was interrupted before it signed this payment. Nothing was spent. Pay again with a new Idempotency-Key.',
  details: { reason: 'interrupted' },
};

export const notSigned: Refusal = {
  code: 'payment_failed',
  message: 'This payment could not be signed. Nothing was spent. The log of the treasury says why.',
  details: { reason: 'not_signed' },
};

export const chainUnreachable: Refusal = {
  code: 'chain_unreachable',
  message: 'The Solana network cannot be reached now. Nothing was spent. Try again in a moment.',
  details: {},
};
