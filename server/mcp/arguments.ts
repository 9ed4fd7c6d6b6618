// Arguments that tools share. Models also write amounts as numbers, which are accepted when they are exact decimals.
import { z } from 'zod';
import { formatUsdc, parseUsdc } from '../money.ts';

const rule = 'must be decimal USDC such as "1.50", with at most six fractional digits';

/** Decimal USDC in one normal form, so that 0.5 and "0.50" are the same request. */
export const amount = (what: string) =>
  z
    .union([z.string({ error: rule }), z.number({ error: rule })])
    .transform((given, context) => {
      const units = parseUsdc(String(given));
      if (units !== null) return formatUsdc(units);
      context.addIssue({ code: 'custom', message: `${rule}, not ${JSON.stringify(given)}` });
      return z.NEVER;
    })
    .describe(`${what}, in USDC`);

export const reason = z
  .string()
  .max(280, 'must be at most 280 characters')
  .optional()
  .describe('why; the owner reads it');

/** MCP hosts wait for at most a minute. */
const mostWaitSeconds = 50;

const seconds = z.int().min(0).max(mostWaitSeconds, `must be at most ${mostWaitSeconds}`);

export const waitSeconds = (forWhat: string, usual = 20) =>
  seconds.default(usual).describe(`how long to wait for ${forWhat}`);

/** The usual time then depends on the other arguments. */
export const waitSecondsIfTold = (forWhat: string) =>
  seconds.optional().describe(`how long to wait for ${forWhat}`);
