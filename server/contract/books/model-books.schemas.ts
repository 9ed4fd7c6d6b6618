// Model tokens in the books: the sums of a month, suppliers' invoices, and the owner's corrections.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import { decimal, example, limit, textLike } from '../fields.ts';
import { monthName, monthPath, zone } from './books.schemas.ts';

const like = (amount: string) => decimal.meta(example(amount));
const supplierMonth = z.object({
  supplierId: textLike('openai'),
  requests: z.number().meta(example(1_204)),
  exact: like('41.90').describe('by the supplier’s usage, in USDC, as all amounts here'),
  estimated: like('0.30').describe('of answers that were cut, by what arrived'),
  unknown: like('0.10').describe('of requests whose end is not known, at their most'),
  corrections: like('-0.05').describe('of these requests, whenever they were entered'),
  total: like('42.25'),
  invoiced: like('42.00').nullable().describe('null: no invoice was entered'),
  difference: like('-0.25').nullable().describe('what was invoiced less the total'),
});
const monthReply = z.object({ month: monthName, zone, suppliers: z.array(supplierMonth) });
const idOf = (what: string, id: string) =>
  z.string({ error: `must be the id of a ${what}` }).meta(example(id));
const requestId = idOf('request to a model', 'mod_0000');
const invoice = { supplierId: idOf('supplier', 'openai'), amount: limit.describe('of the whole month') };
const corrected = { requestId, amount: limit.describe('all that it came to') };

export const modelBooksExchanges = {
  bookModels: get(monthPath, nothing, monthReply),
  addModelInvoice: post(monthPath, z.strictObject(invoice), monthReply),
  correctModelRequest: post(nothing, z.strictObject(corrected), z.object({ requestId, amount: decimal })),
};
