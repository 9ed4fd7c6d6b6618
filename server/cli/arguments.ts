// Parsers of the command's arguments; they run before anything is sent.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readHours } from '../contract/limits/hours.ts';
import { serviceLimitsIn } from '../contract/limits/service-limits.ts';
import { InvalidArgumentError } from 'commander';
import { isLost } from '../client/client.ts';
import { moment } from '../contract/fields.ts';
import { AppError } from '../errors.ts';
import { formatUsdc, parseUsdc } from '../money.ts';
import { Ending } from './ending.ts';

/** A parser that refuses a text of which `read` makes null. */
export const parsing =
  <T>(read: (text: string) => T | null, otherwise: string) =>
  (text: string): T => {
    const value = read(text);
    if (value !== null) return value;
    throw new InvalidArgumentError(otherwise);
  };

const matching = (pattern: RegExp, otherwise: string): ((text: string) => string) =>
  parsing((text) => (pattern.test(text) ? text : null), otherwise);

const usdcFrom =
  (least: bigint) =>
  (text: string): string | null => {
    const units = parseUsdc(text);
    return units !== null && units >= least ? formatUsdc(units) : null;
  };

/** An amount of USDC, zero allowed. */
export const limit = parsing(
  usdcFrom(0n),
  'It must be an amount of USDC such as 1.50, with at most six decimals.',
);

/** An amount of USDC above zero. */
export const amount = parsing(
  usdcFrom(1n),
  'It must be an amount of USDC above zero such as 1.50, with at most six decimals.',
);

/** At most nine digits, which a number holds exactly. */
export const wholeNumber = parsing(
  (text) => (/^\d{1,9}$/.test(text) ? Number(text) : null),
  'It must be a whole number.',
);

export const portNumber = parsing(
  (text) => (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535 ? Number(text) : null),
  'It must be a port number from 1 to 65535.',
);

export const dateOrTime = parsing(
  (text) => (moment.safeParse(text).success ? text : null),
  'It must be a date such as 2030-01-31, or a time such as 2030-01-31T12:00Z.',
);

const aMonth = /^\d{4}-(0[1-9]|1[0-2])$/;

/** The first day of a month stands for the month at the beginning of a period, and its last day at the end. */
const periodStart = (text: string): string => (aMonth.test(text) ? `${text}-01` : dateOrTime(text));
const periodEnd = (text: string): string => {
  if (!aMonth.test(text)) return dateOrTime(text);
  const [year = 0, month = 1] = text.split('-').map(Number);
  return `${text}-${new Date(Date.UTC(year, month, 0)).getUTCDate()}`;
};

export const periodOptions = {
  from: ['time', 'first day, month or time, inclusive; days are those of your time zone', periodStart],
  to: ['time', 'last day, month or time, inclusive', periodEnd],
} as const;

export const monthName = matching(aMonth, 'It must be a month such as 2026-11.');

export const weekHours = parsing(readHours, 'It must be days and hours such as "mon-fri 08:00-19:00".');

export const limitsAtServices = parsing(
  serviceLimitsIn,
  'It must be services with their limits, such as "web-search 10/day 60/month 1/payment, weather none".',
);

export const idempotencyKey = matching(
  /^[\x21-\x7e]{1,255}$/,
  'It must be 1 to 255 printable ASCII characters without spaces.',
);

export const reasonOption = ['text', 'why, for the owner to read, when an agent asks'] as const;

/** @throws Ending for the owner: the reason is recorded as the agent's own words */
export const reasonFrom = (role: 'agent' | 'owner', reason: string | undefined): { reason?: string } => {
  if (reason === undefined) return {};
  if (role === 'agent') return { reason };
  throw new Ending(
    'usage',
    '--reason is what an agent tells its owner: set TREASURY_API_KEY, or leave it out.',
  );
};

export const descriptor = parsing(
  (text) => (/^\d{1,3}$/.test(text) ? Number(text) : null),
  'It must be a file descriptor: a number such as 3.',
);

/** @throws Ending when the descriptor cannot be read */
export const readSecret = (fd: number | undefined, option = '--passphrase-fd'): string | undefined => {
  if (fd === undefined) return undefined;
  try {
    return readFileSync(fd, 'utf8').replace(/\r?\n$/, '');
  } catch {
    throw new Ending('usage', `${option}: the file descriptor ${fd} cannot be read.`);
  }
};

/**
 * Sends what moves money under an idempotency key.
 * @throws Ending that names the key when the outcome is unknown
 */
export const once = async <T>(key: string | undefined, move: (key: string) => Promise<T>): Promise<T> => {
  const used = key ?? randomUUID();
  try {
    return await move(used);
  } catch (error) {
    const isUnknown = isLost(error) || (error instanceof AppError && error.code === 'internal');
    if (!isUnknown || !(error instanceof Error)) throw error;
    throw new Ending(
      'underWay',
      `${error.message} It may have been done. Repeat it with --key ${used}: then it happens once.`,
      { key: used },
    );
  }
};
