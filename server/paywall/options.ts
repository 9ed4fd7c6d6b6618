// A seller's options for a paywall, checked once at run time: authors of paid APIs write JavaScript too.
import { z } from 'zod';
import { usdcMints } from '../contract/networks.ts';
import type { Log } from '../log.ts';
import { parseUsdc, usdc } from '../money.ts';
import type { Usdc } from '../money.ts';
import { addressSchema } from '../lib/solana-address.ts';
import type { GrantStore } from './grant-store.ts';
import { serviceSchema } from '../lib/receipt.ts';
import type { Network } from '../lib/receipt.ts';
import type { Terms } from './verify-receipt.ts';

export interface PaywallOptions {
  /** Decimal USDC, such as `0.05`. */
  price: string;
  /** The wallet to pay; the money goes to its associated token account. */
  recipient: string;
  rpcUrl: string;
  network: Network;
  store: GrantStore;
  /** The seller's own id of the product; goes into the quote. */
  service?: string;
  /**
   * Whether a receipt must name one of our invoices, which ties it to method, URL and body. Without an invoice, a
   * payment is good for any request at the same price to the same recipient. `optional` takes both. Default true.
   */
  bind?: boolean | 'optional';
  /** How old a payment may be, by its block's time. Default 600. */
  maxAgeSeconds?: number;
  /** How long an invoice may be paid. Default 1800: a person may have to approve the payment first. */
  invoiceSeconds?: number;
  /** Up to this price a `confirmed` payment suffices; above it, it must be `finalized`. Default `1.00`. */
  confirmedUpTo?: string;
  /** How long one request waits for the chain to show its payment. Default 2000. */
  visibleWithinMs?: number;
  rpcTimeoutMs?: number;
  maxBodyBytes?: number;
  /**
   * The time in Unix milliseconds to compare blocks with. Default: this machine's clock; on the sandbox, whose time can
   * be warped ahead of it, the newest block's time.
   */
  now?: () => number | Promise<number>;
  log?: Pick<Log, 'warn'>;
}

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
  log: z.custom<Pick<Log, 'warn'>>((value) => typeof value === 'object' && value !== null).optional(),
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
