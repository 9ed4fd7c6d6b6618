// Which errors end a transfer, so that the owner's next attempt is another one with a new idempotency key.
import { AppError } from '../../server/errors.ts';

/**
 * True when nothing was done and nothing can come of it, so that a changed form needs a new key. After any other error,
 * such as a lost reply, the key stays: pressing again repeats the same transfer.
 */
export const endsTransfer = (error: Error): boolean =>
  error instanceof AppError && [400, 402, 502].includes(error.status);
