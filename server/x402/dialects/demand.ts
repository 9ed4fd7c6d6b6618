// The demand of an entry that is a fault, as far as it can be read: the treasury may have no such token or network.
import { z } from 'zod';
import type { Demand } from '../../engine/ports.ts';
import { inert } from './words.ts';

/** The demand still says whether the seller takes what is ours. */
export const unreadablePrice = '0';

const name = z
  .string()
  .min(1)
  .max(80)
  .transform((text) => inert(text))
  .pipe(z.string().min(1));
const schema = z.object({
  network: name,
  asset: name,
  price: z.coerce
    .string()
    .regex(/^[1-9][0-9]{0,39}$/)
    .catch(unreadablePrice),
});

/** @param price in the smallest unit; absent: `amount`, or version 1's name for it */
export const demandIn = (entry: unknown): { demand?: Demand } => {
  const { amount, maxAmountRequired = amount, price = maxAmountRequired, ...rest } = Object(entry);
  const { data } = schema.safeParse({ ...rest, price });
  return data === undefined ? {} : { demand: data };
};
