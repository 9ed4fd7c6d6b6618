// Parsers of the command's arguments; they run before anything is sent.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readHours, type Hours } from '../contract/limits/hours.ts';
import { serviceLimitsIn, type ServiceLimitsChange } from '../contract/limits/service-limits.ts';
import { InvalidArgumentError } from 'commander';
import { isLost } from '../client/client.ts';
import { moment } from '../contract/fields.ts';
import { AppError } from '../errors.ts';
import { formatUsdc, parseUsdc } from '../money.ts';
import { Ending } from './ending.ts';

/** An amount of USDC, zero allowed. */
export const limit = (text: string): string => {
  const units = parseUsdc(text);
  if (units !== null) return formatUsdc(units);
  throw new InvalidArgumentError('It must be an amount of USDC such as 1.50, with at most six decimals.');
};

/** An amount of USDC above zero. */
export const amount = (text: string): string => {
  const units = parseUsdc(text);
  if (units !== null && units > 0n) return formatUsdc(units);
  throw new InvalidArgumentError(
    'It must be an amount of USDC above zero such as 1.50, with at most six decimals.',
  );
};

/** At most nine digits, which a number holds exactly. */
export const wholeNumber = (text: string): number => {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
};

export const portNumber = (text: string): number => {
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('It must be a port number from 1 to 65535.');
};

export const dateOrTime = (text: string): string => {
  if (moment.safeParse(text).success) return text;
  throw new InvalidArgumentError(
    'It must be a date such as 2030-01-31, or a time such as 2030-01-31T12:00Z.',
  );
};

const isMonth = (text: string): boolean => /^\d{4}-(0[1-9]|1[0-2])$/.test(text);

/** The first day of a month stands for the month at the beginning of a period, and its last day at the end. */
const periodStart = (text: string): string => (isMonth(text) ? `${text}-01` : dateOrTime(text));
const periodEnd = (text: string): string => {
  if (!isMonth(text)) return dateOrTime(text);
  const [year = 0, month = 1] = text.split('-').map(Number);
  return `${text}-${new Date(Date.UTC(year, month, 0)).getUTCDate()}`;
};

export const periodOptions = {
  from: ['time', 'first day, month or time, inclusive; days are those of your time zone', periodStart],
  to: ['time', 'last day, month or time, inclusive', periodEnd],
} as const;

export const monthName = (text: string): string => {
  if (isMonth(text)) return text;
  throw new InvalidArgumentError('It must be a month such as 2026-11.');
};

export const weekHours = (text: string): Hours => {
  const hours = readHours(text);
  if (hours !== null) return hours;
  throw new InvalidArgumentError('It must be days and hours such as "mon-fri 08:00-19:00".');
};

export const limitsAtServices = (text: string): ServiceLimitsChange<string> => {
  const limits = serviceLimitsIn(text);
  if (limits !== null) return limits;
  throw new InvalidArgumentError(
    'It must be services with their limits, such as "web-search 10/day 60/month 1/payment, weather none".',
  );
};

export const idempotencyKey = (text: string): string => {
  if (/^[\x21-\x7e]{1,255}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be 1 to 255 printable ASCII characters without spaces.');
};

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

export const descriptor = (text: string): number => {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a file descriptor: a number such as 3.');
};

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
