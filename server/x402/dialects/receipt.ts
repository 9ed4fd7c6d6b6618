// Our own protocol: a 402 whose body names amount, currency and recipient, paid with `X-Payment` and our receipt.
import { z } from 'zod';
import { invariant } from '../../errors.ts';
import { parseUsdc, type Usdc } from '../../money.ts';
import { addressSchema } from '../../lib/solana/solana-address.ts';
import { invoiceSchema, serviceSchema } from '../../lib/solana/receipt.ts';
import { demandIn } from './demand.ts';
import { faultOf } from './fields.ts';
import { unreadable, type SellerResponse, type Market, type Protocol } from './protocol.ts';
import { quoted } from './words.ts';

/** A seller's offer in our own protocol. */
const quoteSchema = z.object({
  amount: z.string('must be a decimal string').transform((text, context): Usdc => {
    const amount = parseUsdc(text);
    if (amount !== null && amount > 0n) return amount;
    context.addIssue({ code: 'custom', message: 'must be a decimal above zero with at most six places' });
    return z.NEVER;
  }),
  currency: z.literal('USDC', 'must be USDC'),
  recipient: addressSchema,
  network: z.enum(['sandbox', 'devnet', 'mainnet']).optional(),
  /** Goes into the memo and the receipt. */
  invoice: invoiceSchema.optional(),
  service: serviceSchema.optional(),
  expiresAt: z.iso.datetime().optional(),
  /** The seller does not see the payment yet: present the same receipt again, do not pay again. */
  retry: z.boolean().optional(),
});

/** Whether the seller does not see the payment yet, and wants the same receipt again. */
export const wantsReceiptAgain = (response: SellerResponse): boolean => {
  if (response.status !== 402) return false;
  const quote = quoteSchema.safeParse(response.json);
  return quote.success && quote.data.retry === true;
};

export const createReceipt = ({ network, now }: Market): Protocol => ({
  dialect: 'receipt',
  read({ json }) {
    if (json === null || !['amount', 'currency', 'recipient'].some((name) => Object.hasOwn(json, name)))
      return null;
    const read = quoteSchema.safeParse(json);
    if (!read.success) return { offers: [], faults: [faultOf(read.error)] };
    const { amount, recipient: payee, invoice = null, service, expiresAt, network: on } = read.data;
    const demand = { network: on, asset: 'USDC', price: amount };
    if (on !== undefined && on !== network)
      return unreadable('network', `must be ${JSON.stringify(network)}, not ${quoted(on)}`, demandIn(demand));
    if (expiresAt !== undefined && Date.parse(expiresAt) <= now())
      return unreadable('expiresAt', `must lie ahead, not at ${quoted(expiresAt)}`);
    const terms = {
      ...(service === undefined ? {} : { service }),
      ...(on === undefined ? {} : { network: on }),
    };
    return {
      offers: [{ dialect: 'receipt', amount, payee, splits: [], feePayer: null, memo: null, invoice, terms }],
      faults: [],
    };
  },
  credential(_, { receipt }) {
    invariant(receipt !== null, 'our own protocol is paid with a receipt');
    return { name: 'X-Payment', value: receipt };
  },
  settlement: () => ({ success: null, txSignature: null, error: null }),
});
