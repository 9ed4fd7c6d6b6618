// The form in which a route's request and reply are defined.
import { z } from 'zod';

export const nothing = z.strictObject({});

export interface Exchange {
  params: z.ZodType;
  query: z.ZodType;
  body: z.ZodType;
  reply: z.ZodType;
  /** The body of a 202: it is not done yet, or the owner has to allow it. */
  accepted?: z.ZodType;
}

export const get = <P extends z.ZodType, Q extends z.ZodType, R extends z.ZodType>(
  params: P,
  query: Q,
  reply: R,
) => ({
  params,
  query,
  body: nothing,
  reply,
});
export const post = <
  P extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
  A extends z.ZodType = z.ZodNever,
>(
  params: P,
  body: B,
  reply: R,
  accepted?: A,
) => ({ params, query: nothing, body, reply, ...(accepted === undefined ? {} : { accepted }) });
