// The idempotency key of a request.
import type { Request } from 'express';
import { AppError } from '../errors.ts';

/** The key that a header holds; null without it. @throws AppError `bad_request` */
export const keyOf = (
  { headersDistinct }: Pick<Request, 'headersDistinct'>,
  header = 'Idempotency-Key',
): string | null => {
  const keys = headersDistinct[header.toLowerCase()];
  if (keys === undefined) return null;
  const [key, ...more] = keys;
  if (key !== undefined && more.length === 0 && /^[\x20-\x7e]{1,255}$/.test(key)) return key;
  throw new AppError('bad_request', `${header}: must be sent once, as 1 to 255 printable ASCII characters.`);
};
