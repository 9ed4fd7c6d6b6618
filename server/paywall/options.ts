// A seller's options for a paywall, checked once at run time: authors of paid APIs write JavaScript too.
import { z } from 'zod';
import { usdcMints } from '../contract/treasury/networks.ts';
import { parseUsdc, usdc, type Usdc } from '../money.ts';
import { addressSchema } from '../lib/solana/solana-address.ts';
import { serviceSchema } from '../lib/solana/receipt.ts';
import type { Terms } from './ledger.ts';
import { routeSchema } from './read-route.ts';
import { leastLamports } from './settle/judge.ts';
import type { Asked, FacilitatorHeaders, FreeQuota, GrantStore, KeySigner, PaywallOptions } from './types.ts';

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

const httpUrl = (rule: string) =>
  z
    .string(rule)
    .refine(
      (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
      'must be an http(s) URL',
    );
const hasCredentials = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username + password !== '';
};
const functionOf = <T>() => z.custom<T>((value) => typeof value === 'function', 'must be a function');
const isKeySigner = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'sign' in value &&
  typeof value.sign === 'function' &&
  'address' in value &&
  addressSchema.safeParse(value.address).success;
const price = decimal.refine((units) => units > 0n, 'must be greater than zero');
type FacilitatorFunction = Extract<FacilitatorHeaders, (url: string) => unknown>;
type PriceFunction = Exclude<PaywallOptions['price'], string>;

/** Strict, since a misspelled option would leave its default in force unnoticed. */
const optionsSchema = z.strictObject({
  price: z.unknown().transform((given, context): Usdc | PriceFunction => {
    if (typeof given === 'function') return given as PriceFunction;
    const read = price.safeParse(given);
    if (read.success) return read.data;
    for (const { message } of read.error.issues) context.addIssue({ code: 'custom', message });
    return z.NEVER;
  }),
  recipient: addressSchema,
  rpcUrl: httpUrl('must be the URL of a Solana RPC'),
  network: z.enum(['sandbox', 'devnet', 'mainnet'], 'must be "sandbox", "devnet" or "mainnet"'),
  store: z.custom<GrantStore>(isGrantStore, `must be a GrantStore, with ${methods.join(', ')}`),
  // The error of a request to such a URL says all of it.
  facilitator: httpUrl('must be the URL of an x402 facilitator')
    .refine((text) => !hasCredentials(text), 'must hold no user name and no password: use facilitatorHeaders')
    .optional(),
  facilitatorHeaders: z
    .union(
      [z.record(z.string(), z.string()), functionOf<FacilitatorFunction>()],
      'must be the headers by their names, or a function that makes them',
    )
    .optional(),
  settle: z
    .strictObject({
      feePayer: z.custom<KeySigner>(
        isKeySigner,
        'must be a key with address and sign, such as readKeyFile(file)',
      ),
      mostLamportsPerDay: whole(leastLamports).default(10_000_000),
    })
    .optional(),
  origin: httpUrl('must be an origin such as "https://api.example.com"')
    .transform((text) => new URL(text).origin)
    .optional(),
  freeQuota: z
    .strictObject({
      requests: whole(1),
      everySeconds: whole(1).default(86_400),
      payer: functionOf<FreeQuota['payer']>(),
    })
    .optional(),
  onPaid: functionOf<NonNullable<PaywallOptions['onPaid']>>().optional(),
  service: serviceSchema.optional(),
  route: routeSchema.optional(),
  boundHeaders: z
    .array(z.string().regex(/^[\w-]+$/, 'must be the name of a header'), 'must be a list of header names')
    .transform((names) => names.map((name) => name.toLowerCase()))
    .default([]),
  bind: z.union([z.boolean(), z.literal('optional')], 'must be true, false or "optional"').default(true),
  maxAgeSeconds: whole(1).default(600),
  // Three bytes of an invoice.
  invoiceSeconds: whole(1).max(0xff_ff_ff, 'must be at most 16777215').default(1_800),
  confirmedUpTo: decimal.default(usdc(1_000_000n)),
  visibleWithinMs: whole(0).default(2_000),
  rpcTimeoutMs: whole(1).default(5_000),
  maxBodyBytes: whole(0).default(1024 * 1024),
  now: z.custom<() => number | Promise<number>>((value) => typeof value === 'function').optional(),
  log: z
    .custom<NonNullable<PaywallOptions['log']>>((value) => typeof value === 'object' && value !== null)
    .optional(),
});

type Read = z.output<typeof optionsSchema>;
type Taken =
  | 'price'
  | 'recipient'
  | 'network'
  | 'bind'
  | 'maxAgeSeconds'
  | 'confirmedUpTo'
  | 'visibleWithinMs';
export interface ReadOptions extends Omit<Read, Taken> {
  terms: Terms;
  /** Null where a function decides. */
  fixedPrice: Usdc | null;
  /** @throws Error when the seller's function returns no price */
  price: (asked: Asked) => Promise<Usdc>;
}

/** Fills in the defaults. @throws Error that begins with the name of the option at fault */
export const readOptions = (options: PaywallOptions): ReadOptions => {
  const read = optionsSchema.safeParse(options);
  if (!read.success) throw new Error(`paywall: ${faultOf(read.error)}`);
  const { recipient, network, bind, maxAgeSeconds, confirmedUpTo, visibleWithinMs, ...rest } = read.data;
  for (const [option, method] of needs)
    if (rest[option] !== undefined && typeof rest.store[method] !== 'function')
      throw new Error(`paywall: store: must have ${method}, which ${option} needs`);
  if (rest.settle !== undefined && rest.facilitator !== undefined)
    throw new Error('paywall: settle: cannot stand beside facilitator: choose who sends the payments');
  if (rest.settle?.feePayer.address === recipient)
    throw new Error(
      'paywall: settle.feePayer: must be a key of its own, with SOL alone, and not the recipient',
    );
  const mint = usdcMints[network];
  const maxAgeMs = maxAgeSeconds * 1_000;
  const terms = { recipient, network, bind, mint, maxAgeMs, confirmedUpTo, visibleWithinMs };
  const fixedPrice = typeof rest.price === 'function' ? null : rest.price;
  return { ...rest, terms, fixedPrice, price: priceOf(rest) };
};

/** Methods that a store may lack until an option needs them. */
const needs = [
  ['facilitator', 'isInvoiceUsed'],
  ['freeQuota', 'takeFree'],
  ['settle', 'isInvoiceUsed'],
  ['settle', 'findSettled'],
  ['settle', 'saveSettled'],
  ['settle', 'beginSettling'],
  ['settle', 'endSettling'],
  ['settle', 'findSettling'],
  ['settle', 'openSettlings'],
  ['settle', 'settlingLamports'],
] as const;

const priceOf = ({
  price: given,
  boundHeaders,
}: Pick<Read, 'price' | 'boundHeaders'>): ReadOptions['price'] => {
  if (typeof given !== 'function') return () => Promise.resolve(given);
  const priced = ({ method, url, header, body }: Asked): Asked => ({
    method,
    url,
    body,
    // A price by something that no invoice is bound to would be paid for one request and used for another.
    header(name) {
      if (boundHeaders.includes(name.toLowerCase())) return header(name);
      throw new Error(`paywall: price reads ${name}: name it in boundHeaders`);
    },
    get origin(): string {
      throw new Error('paywall: price reads origin: name host in boundHeaders');
    },
  });
  return async (asked) => {
    const read = price.safeParse(await given(priced(asked)));
    if (read.success) return read.data;
    throw new Error(`paywall: price: ${read.error.issues[0]?.message ?? 'cannot be read'}`);
  };
};

const faultOf = ({ issues: [issue] }: z.ZodError): string => {
  if (issue?.code === 'unrecognized_keys') return `${issue.keys.join(', ')}: there is no such option`;
  return `${issue?.path.join('.') || 'options'}: ${issue?.message ?? 'cannot be read'}`;
};
