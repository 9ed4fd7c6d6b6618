// Why a picture was not made, in sentences for its agent.
import { AppError } from '../../errors.ts';
import type { Task, Transfer } from '../ports.ts';

export type Failure = NonNullable<Task['failure']>;

export const tooLate = (): AppError =>
  new AppError('generation_failed', 'The provider did not answer in time. The charge is refunded.');

export const failureOf = (error: unknown): Failure =>
  error instanceof AppError
    ? { code: error.code, message: error.message }
    : { code: 'internal', message: 'The picture could not be made. The charge is refunded.' };

export const chargeFailed = (charge: Transfer | undefined): Failure => ({
  code: charge?.refusal?.code ?? 'payment_failed',
  message: charge?.refusal?.message ?? 'The charge failed. Nothing was spent.',
});

export const notOffered: Failure = {
  code: 'not_available',
  message: 'The owner no longer offers this model. The charge is refunded.',
};

export const interrupted: Failure = {
  code: 'generation_failed',
  message:
    'The treasury was interrupted while the provider made this picture, and does not ask twice. The charge is refunded.',
};
