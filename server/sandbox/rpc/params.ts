// Reads positional parameters; invalid ones are answered with -32602.
import bs58 from 'bs58';

import type { Commitment } from '../chain/clock.ts';
import { maxTransactionBytes } from '../../lib/solana/wire.ts';
import { invalidParams } from './errors.ts';

export type Params = readonly unknown[];
export type Config = Readonly<Record<string, unknown>>;

export const addressParam = (value: unknown): Uint8Array => base58Param(value, 32);
export const signatureParam = (value: unknown): Uint8Array => base58Param(value, 64);

const base58Param = (value: unknown, length: number): Uint8Array => {
  if (typeof value !== 'string') throw invalidParams('Invalid params: expected a string');
  if (value.length > 2 * length) throw invalidParams('Invalid param: WrongSize');
  let bytes: Uint8Array;
  try {
    bytes = bs58.decode(value);
  } catch {
    throw invalidParams('Invalid param: Invalid');
  }
  if (bytes.length !== length) throw invalidParams('Invalid param: WrongSize');
  return bytes;
};

export const configParam = (value: unknown): Config => {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw invalidParams('Invalid params: expected an object');
  }
  return value as Config;
};

export const listParam = (value: unknown, max: number): readonly unknown[] => {
  if (!Array.isArray(value)) throw invalidParams('Invalid params: expected a sequence');
  if (value.length > max) throw invalidParams(`Too many inputs provided; max ${max}`);
  return value;
};

export const integerParam = (value: unknown): number => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw invalidParams('Invalid params: expected a u64');
  }
  return value;
};

export const optionalInteger = (value: unknown): number | undefined =>
  value === undefined || value === null ? undefined : integerParam(value);

export const flag = (value: unknown): boolean => {
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw invalidParams('Invalid params: expected a boolean');
  return value;
};

export const textParam = (value: unknown): string => {
  if (typeof value !== 'string') throw invalidParams('Invalid params: expected a string');
  return value;
};

/** Finalized by default, as everywhere on Solana. */
export const commitmentOf = (config: Config, name = 'commitment'): Commitment => {
  const value = config[name];
  if (value === undefined || value === null) return 'finalized';
  const known = commitments[String(value)];
  if (!known) {
    throw invalidParams(`Invalid params: unknown variant \`${String(value)}\`, expected a commitment.`);
  }
  return known;
};

/** Includes the old names, which some clients still send. */
const commitments: Readonly<Record<string, Commitment>> = {
  processed: 'processed',
  recent: 'processed',
  confirmed: 'confirmed',
  single: 'confirmed',
  singleGossip: 'confirmed',
  finalized: 'finalized',
  root: 'finalized',
  max: 'finalized',
};

/** For methods that answer only from confirmed state. */
export const confirmedCommitmentOf = (config: Config): Commitment => {
  const commitment = commitmentOf(config);
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
  return commitment;
};

/** Transactions and messages come as base58 unless base64 is asked for. */
export const encodedParam = (value: unknown, encoding: unknown): Uint8Array => {
  const text = textParam(value);
  const name = encoding ?? 'base58';
  if (name !== 'base58' && name !== 'base64') {
    throw invalidParams(`unsupported encoding: ${String(name)}. Supported encodings: base58, base64`);
  }
  if (text.length > maxTransactionBytes * 2) {
    throw invalidParams(
      `${name} encoded solana_transaction::versioned::VersionedTransaction too large: ${text.length} bytes (max: encoded/raw ${name === 'base64' ? 1644 : 1683}/${maxTransactionBytes})`,
    );
  }
  const bytes = name === 'base64' ? fromBase64(text) : fromBase58(text);
  if (bytes === null) throw invalidParams(`invalid ${name} encoding`);
  return bytes;
};

export const fromBase64 = (text: string): Uint8Array | null => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
};

export const fromBase58 = (text: string): Uint8Array | null => bs58.decodeUnsafe(text) ?? null;
