// Limits for a seller's terms, which we keep until we return them with the payment.
import type { JsonObject } from '../../lib/base64-json.ts';
import type { Fault } from './protocol.ts';

const mostBytes = 16 * 1024;
const mostDepth = 32;

/** Why these terms cannot be kept: too large, too deep, or prototype pollution; null when they can. */
export const faultOfTerms = (terms: JsonObject): Fault | null => {
  if (!isTame(terms, mostDepth)) return { path: '', message: 'is nested too deeply, or names __proto__' };
  if (Buffer.byteLength(JSON.stringify(terms)) > mostBytes)
    return { path: '', message: `is more than ${mostBytes / 1024} KiB to give back` };
  return null;
};

const isTame = (value: unknown, depth: number): boolean => {
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0 || Object.hasOwn(value, '__proto__')) return false;
  return Object.values(value).every((one) => isTame(one, depth - 1));
};
