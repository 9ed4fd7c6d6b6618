// The wishes of a proxy's client to the treasury itself, in headers.
import type { Request } from 'express';
import { z } from 'zod';
import { parse } from '../../contract/field-errors.ts';
import { amount } from '../../contract/fields.ts';
import { fieldError } from '../../errors.ts';
import type { Usdc } from '../../money.ts';
import { keyOf } from '../idempotency-key.ts';

type Headers = Pick<Request, 'headersDistinct'>;

const maxAmount = z.object({ 'X-Treasury-Max-Amount': amount.optional() });

/** Sellers know Idempotency-Key too: it counts here where ours is missing. Null without both. @throws AppError `bad_request` */
export const keyIn = (request: Headers): string | null =>
  keyOf(request, 'X-Treasury-Idempotency-Key') ?? keyOf(request);

/** @throws AppError `bad_request` */
export const maxAmountIn = ({ headersDistinct }: Headers): Usdc | undefined => {
  const [given, ...more] = headersDistinct['x-treasury-max-amount'] ?? [];
  if (more.length > 0) throw fieldError('X-Treasury-Max-Amount', 'must be sent once');
  return parse(maxAmount, { 'X-Treasury-Max-Amount': given })['X-Treasury-Max-Amount'];
};
