// Sales in the books: the records of a seller that is paid into a wallet of the treasury.
import { z } from 'zod';
import { nothing, post } from '../exchange.ts';
import { address, amount, decimal, example, plainText, txSignature } from '../fields.ts';
import { mostName, mostSales } from './books.ts';

const count = z.number().meta(example(12));
const sale = z.strictObject({
  txSignature,
  recipient: address.describe('the wallet that was paid'),
  amount,
  name: plainText(mostName).describe('of what was sold, such as GET /report; empty: not known'),
});

export const salesExchanges = {
  addBookSales: post(
    nothing,
    z.strictObject({
      sales: z
        .array(sale, { error: 'must be a list of sales' })
        .min(1, 'must name at least one sale')
        .max(mostSales, `must be at most ${mostSales} sales`),
    }),
    z.object({
      added: count,
      known: count.describe('entered before: the first entry of a transaction stands'),
      foreign: count.describe('left out: no wallet of this treasury was paid'),
      deposits: z
        .object({ entries: count, amount: decimal })
        .describe('of these sales, those that a final deposit of this transaction, wallet and amount shows'),
    }),
  ),
};
