// A seller's options for a paywall, checked once at run time: authors of paid APIs write JavaScript too.
import { z } from 'zod';
import { usdcMints } from '../contract/networks.ts';
import { parseUsdc, usdc } from '../money.ts';
import type { Usdc } from '../money.ts';
import { addressSchema } from '../lib/solana-address.ts';
import { serviceSchema } from '../lib/receipt.ts';
import type { GrantStore, PaywallOptions } from './types.ts';
import type { Terms } from './verify-receipt.ts';

const decimal = z
  .string('must be a decimal string of USDC such as "0.05"')
  .transform((text, context): Usdc => {
    const units = parseUsdc(text);
    if (units !== null) return units;
    context.addIssue({
      code: 'custom',
      message: 'must be a decimal string of USDC such as "0.05", with at most six decimals',
    });
    return z.NEVER;
  });
const whole = (least: number) => {
  const rule = `must be a whole number of at least ${least}`;
  return z.int(rule).min(least, rule);
};
const methods = ['saveInvoice', 'findInvoice', 'isUsed', 'grant'] as const;
const isGrantStore = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  methods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function');

/** Strict, since a misspelt option would leave its default in force unnoticed. */
const optionsSchema = z.strictObject({
  price: decimal.refine((units) => units > 0n, 'must be greater than zero'),
  recipient: addressSchema,
  rpcUrl: z
    .string('must be the URL of a Solana RPC')
    .refine(
      (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
      'must be an http(s) URL',
    ),
  network: z.enum(['sandbox', 'devnet', 'mainnet'], 'must be "sandbox", "devnet" or "mainnet"'),
  store: z.custom<GrantStore>(isGrantStore, `must be a GrantStore, with ${methods.join(', ')}`),
  service: serviceSchema.optional(),
  bind: z.union([z.boolean(), z.literal('optional')], 'must be true, false or "optional"').default(true),
  maxAgeSeconds: whole(1).default(600),
  invoiceSeconds: whole(1).default(1_800),
  confirmedUpTo: decimal.default(usdc(1_000_000n)),
  visibleWithinMs: whole(0).default(2_000),
  rpcTimeoutMs: whole(1).default(5_000),
  maxBodyBytes: whole(0).default(1024 * 1024),
  now: z.custom<() => number | Promise<number>>((value) => typeof value === 'function').optional(),
  log: z
    .custom<NonNullable<PaywallOptions['log']>>((value) => typeof value === 'object' && value !== null)
    .optional(),
});

export interface ReadOptions extends Omit<z.output<typeof optionsSchema>, 'price' | 'recipient'> {
  terms: Terms;
}

/** Fills in the defaults. @throws Error that begins with the name of the option at fault */
export const readOptions = (options: PaywallOptions): ReadOptions => {
  const read = optionsSchema.safeParse(options);
  if (!read.success) throw new Error(`paywall: ${faultOf(read.error)}`);
  const { price, recipient, network, bind, maxAgeSeconds, confirmedUpTo, visibleWithinMs } = read.data;
  const mint = usdcMints[network];
  const maxAgeMs = maxAgeSeconds * 1_000;
  const terms = { price, recipient, network, bind, mint, maxAgeMs, confirmedUpTo, visibleWithinMs };
  return { ...read.data, terms };
};

const faultOf = ({ issues: [issue] }: z.ZodError): string => {
  if (issue?.code === 'unrecognized_keys') return `${issue.keys.join(', ')}: there is no such option`;
  return `${issue?.path.join('.') || 'options'}: ${issue?.message ?? 'cannot be read'}`;
};
