// The fields of requests and replies. Amounts are parsed into integers; everything else stays as it is.
import { z } from 'zod';
import { dialectFacts } from './payments/dialects.ts';
import { isTimeZone } from '../lib/local-days.ts';
import { modelPatternForm } from './limits/policy-field.ts';
import { parseSol, parseUsdc, solPattern, usdcPattern, type Lamports, type Usdc } from '../money.ts';

/** What stands for the field in the examples of requests and replies, which are composed of those of their fields. */
export const example = (value: unknown) => ({ examples: [value] });
/** Text of a reply, with its example. */
export const textLike = (value: string) => z.string().meta(example(value));

const decimalRule =
  'must be a decimal string such as "1.50", with at most nine whole and six fractional digits';

const decimalUsdc = z
  .string({ error: decimalRule })
  .regex(usdcPattern, decimalRule)
  .meta(example('5.00'))
  .transform((text): Usdc => parseUsdc(text) ?? (0n as Usdc));

/** USDC, zero allowed. */
export const limit = decimalUsdc.describe('decimal USDC');
/** USDC above zero. */
export const amount = decimalUsdc
  .refine((units) => units > 0n, 'must be greater than zero')
  .describe('decimal USDC, above zero');
export const solAmount = z
  .string({ error: decimalRule })
  .regex(solPattern, 'must be a decimal string of SOL with at most nine fractional digits')
  .transform((text): Lamports => parseSol(text) ?? (0n as Lamports))
  .refine((units) => units > 0n, 'must be greater than zero');

export const decimal = textLike('5.00').describe('decimal');
export const timestamp = textLike('2030-01-31T12:00:00.000Z').describe('ISO 8601, UTC');
const wallet = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const aSignature = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';
/** Fields that many replies share. */
export const shared = {
  agentId: textLike('scout'),
  groupId: textLike('grp_0mwtgw0wmafc15a8b893'),
  serviceId: textLike('sandbox-weather'),
  paymentId: textLike('pay_0mwtgw0wmafc15a8b890'),
  approvalId: textLike('apr_0mwtgw0wmafc15a8b891'),
  transferId: textLike('trf_0mwtgw0wmafc15a8b892'),
  taskId: textLike('task_0mwtgw0wmafc'),
  walletAddress: textLike(wallet),
  txSignature: textLike(aSignature),
  currency: textLike('USDC'),
  cursor: z.number().meta(example(17)),
  /** A time that comes after the others of its reply. */
  deadline: timestamp.meta(example('2030-01-31T12:15:00.000Z')),
};
export const address = z
  .string({ error: 'must be a Solana address' })
  .regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'must be a Solana address in base58')
  .meta(example(wallet));

export const txSignature = z
  .string({ error: 'must be a Solana signature' })
  .regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/, 'must be a Solana signature in base58')
  .meta(example(aSignature));

export const plainText = (most: number) =>
  z
    .string({ error: 'must be text' })
    .transform((text) => stripControls(text).trim())
    .refine((text) => text.length <= most, `must be at most ${most} characters`);

/** With control and bidirectional characters one text could look like another to the owner. */
const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu;
export const stripControls = (text: string): string => text.replace(hidden, ' ');

export const hex = (characters: number) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${characters}}$`), `must be ${characters} hexadecimal digits in lower case`);

export const agentId = z
  .string({ error: 'must be a string' })
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must begin with a letter or digit and have at most 64 letters, digits, dots, underscores and hyphens',
  )
  .meta(example('scout'));
export const serviceId = z
  .string({ error: 'must be a service id' })
  .min(1, 'must not be empty')
  .max(200, 'must be at most 200 characters')
  .refine((text) => text.search(hidden) < 0, 'must not hold control or formatting characters')
  .meta(example('sandbox-weather'));
export const displayName = plainText(80).refine((text) => text.length > 0, 'must not be empty');
export const description = plainText(280);
/** An agent's reason for a request, shown to the owner; an empty one counts as none. */
export const reason = plainText(280)
  .transform((text) => (text === '' ? undefined : text))
  .optional()
  .describe('why, in the agent’s own words: the owner reads it, and it is kept');
export const invoice = z
  .string({ error: 'must be a string' })
  .regex(/^[\x21-\x7e]{1,64}$/, 'must be 1 to 64 printable ASCII characters without spaces');

export const currency = z.literal('USDC', {
  error: 'must be "USDC". Ethereum and other currencies are announced, not available',
});
export const rail = z.literal('sol', { error: 'must be "sol". Ethereum is announced, not available' });

export const wholeNumber = (name: string, low: number, high: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `must be a whole number from ${low} to ${high}`)
    .transform(Number)
    .refine((value) => value >= low && value <= high, `${name} must be from ${low} to ${high}`);
/** For bodies: a number, not text. */
export const countUpTo = (most: number, unit: string) => {
  const rule = `must be a whole number of ${unit} from 1 to ${most}`;
  return z.number({ error: rule }).int(rule).min(1, rule).max(most, rule);
};
/** Limits of a purchase's answer. */
export const answerLimits = {
  timeoutSeconds: countUpTo(3_600, 'seconds')
    .optional()
    .describe('how long the answer may take once it is paid for, and an answer that costs nothing'),
  maxBytes: countUpTo(64 * 1024 * 1024, 'bytes')
    .optional()
    .describe('how large the answer’s body may be'),
};
export const pageLimit = (most: number, usual: number) => wholeNumber('limit', 1, most).default(usual);
export const cursor = wholeNumber('before', 1, 9_999_999_999);
const isoOf = (time: number): string => (Number.isNaN(time) ? '' : new Date(time).toISOString());

/** A date (the whole day) or a point in time. */
export const moment = z
  .string({ error: 'must be an ISO 8601 date or UTC time' })
  .regex(/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/, 'must be an ISO 8601 date or UTC time')
  // Some engines read February 30th as a day in March.
  .refine((text) => isoOf(Date.parse(text)).startsWith(text.slice(0, 10)), 'must be a real date')
  .refine((text) => text >= '1970' && text < '9000', 'must be of the years 1970 to 8999');

export const timeZone = z
  .string({ error: 'must be a time zone such as Europe/Lisbon' })
  .max(64, 'must be at most 64 characters')
  .refine(isTimeZone, 'must be a time zone such as Europe/Lisbon');

/** The zone of the days of a request. */
export const zoneOfDays = z
  .string({ error: 'must be a time zone such as Europe/Lisbon, or owner' })
  .max(64, 'must be at most 64 characters')
  .refine(
    (text) => text === 'owner' || isTimeZone(text),
    'must be a time zone such as Europe/Lisbon, or owner',
  )
  .describe('whose days they are: an IANA name, or owner for the owner’s zone; without it UTC')
  .meta(example('Europe/Lisbon'));
/** The zone that a reply counted its days in. */
export const zoneInReply = textLike('UTC')
  .refine(isTimeZone)
  .describe('whose days were counted: its IANA name');

export const url = z
  .string({ error: 'must be a URL' })
  .max(2_000, 'must be at most 2000 characters')
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be an https URL')
  // It would be another origin than the same name without the dot, and so another service.
  .refine(
    (text) => !URL.canParse(text) || !new URL(text).hostname.endsWith('.'),
    'must not end its host with a dot',
  )
  .meta(example('https://api.example.com/report?id=17'));

const ofConnection =
  /^(host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|proxy-.*)$/i;
/** Those that carry a payment; a seller may want Authorization for something else. */
const ofPayments: readonly string[] = Object.values(dialectFacts)
  .map(({ header }) => header)
  .filter((name) => name !== 'authorization');
/** Headers of a request that the treasury makes for an agent. */
export const requestHeaders = z
  .record(
    z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'must be the name of an HTTP header'),
    z
      .string({ error: 'must be text' })
      .regex(/^[\t\x20-\x7e\x80-\xff]{0,4000}$/, 'must be the value of an HTTP header'),
    { error: 'must be an object of header names and values' },
  )
  .refine((headers) => Object.keys(headers).length <= 50, 'must be at most 50')
  .superRefine((headers, context) => {
    const taken = Object.keys(headers).find(
      (name) => ofConnection.test(name) || ofPayments.includes(name.toLowerCase()),
    );
    if (taken !== undefined)
      context.addIssue({ code: 'custom', message: `${taken} is set by the treasury itself` });
  });

export const pageId = z.string({ error: 'must be text' }).regex(/^[\w-]{22}$/, 'must be the id of a page');

export const secret = z
  .string({ error: 'must be a token' })
  .min(1)
  .max(256, 'must be at most 256 characters');
export const passphrase = z.string({ error: 'must be text' }).max(1_024, 'must be at most 1024 characters');
export const kinds = ['payment', 'charge', 'allocation', 'recall', 'withdrawal', 'refund', 'anchor'] as const;
export const statuses = ['pending', 'awaiting_approval', 'confirmed', 'failed', 'denied', 'unknown'] as const;
export const paymentStatus = z.enum(statuses).meta(example('confirmed'));
export const failure = z.object({
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
});
/** Parameters of a path. */
export const agentPath = z.object({ agentId: shared.agentId });

export const boost = z
  .object({ boostId: z.string(), amount: decimal, until: shared.deadline })
  .nullable()
  .describe('by which the budgets of day, week and month are raised; null: none is in force');

/** Of a reply to a stop. */
export const ended = z
  .object({
    declined: z.number().meta(example(1)).describe('requests that waited for the owner'),
    requests: z.number().meta(example(0)).describe('requests to language models that were under way'),
    keys: z
      .array(z.object({ keyId: textLike('key_0mwtgw0wmafc15a8b894'), label: textLike('Summarizer') }))
      .describe('delegated keys'),
  })
  .describe('what the stop ended for good: resuming brings none of it back');

export const safeguardNames = ['new_payees', 'unusual'] as const;
/** Of a new agent. */
export const askBefore = z
  .array(z.enum(safeguardNames, { error: `must be ${safeguardNames.join(' or ')}` }), {
    error: `must be a list of ${safeguardNames.join(' and ')}`,
  })
  .optional()
  .describe(
    'when the new agent asks the owner: before it pays somebody for the first time, and when it does something unusual',
  );

const modelRule = 'must be a model’s id, or the beginning of ids followed by *';
export const modelPattern = z
  .string({ error: modelRule })
  .max(200, 'must be at most 200 characters')
  .regex(modelPatternForm, modelRule);
