// What an entry that is a fault asks for, as far as it can be read: the treasury may have no such token or network.
import { z } from 'zod';
import type { Demand } from '../../engine/ports.ts';
import { inert } from './words.ts';

const name = z
  .string()
  .min(1)
  .max(80)
  .transform((text) => inert(text));
const schema = z.object({
  network: name,
  asset: name,
  price: z.coerce.string().regex(/^[1-9][0-9]{0,39}$/),
});

/** @param price in the smallest unit; absent: `amount`, or version 1's name for it */
export const demandIn = (entry: unknown): { demand?: Demand } => {
  const { amount, maxAmountRequired = amount, price = maxAmountRequired, ...rest } = Object(entry);
  const { data } = schema.safeParse({ ...rest, price });
  return data === undefined ? {} : { demand: data };
};
