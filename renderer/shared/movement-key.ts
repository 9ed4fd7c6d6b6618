// Which answers end a movement of money: after them, what the owner asks next is another movement with another key.
import { AppError } from '../../server/errors.ts';

/**
 * Whether nothing was done and nothing can come of it any more, so that a changed form needs a new key. After anything
 * else, such as a lost answer, the same key stays: pressing again is then the same movement.
 */
export const endsMovement = (error: Error): boolean =>
  error instanceof AppError && [400, 402, 502].includes(error.status);
