// Instructions as `jsonParsed`: of the system, token, associated token and memo programs; others keep their bytes.
import bs58 from 'bs58';

import { isTokenProgram, programs, sameKey, view } from '../chain/account.ts';
import type { LoadedKey } from '../chain/keys.ts';
import { isMemoProgram, memoText } from '../chain/memo.ts';
import type { CompiledInstruction } from '../../lib/solana/wire.ts';
import { keyAt, lamportsAt, plain, tokenLayouts, type Layout } from './token-layouts.ts';

export const renderParsedInstruction = (
  { program, accounts, data }: CompiledInstruction,
  keys: readonly LoadedKey[],
  stackHeight: number,
): object => {
  const addresses = [...accounts].map((index) => bs58.encode(keyOf(keys, index)));
  const programKey = keyOf(keys, program);
  const programId = bs58.encode(programKey);
  const known = parse(programKey, view(data), addresses);
  return known
    ? { ...known, programId, stackHeight }
    : { accounts: addresses, data: bs58.encode(data), programId, stackHeight };
};

interface Parsed {
  program: string;
  parsed: unknown;
}

const parse = (program: Uint8Array, data: Buffer, accounts: readonly string[]): Parsed | null => {
  if (isMemoProgram(program)) {
    const text = memoText(data);
    return text === null ? null : { program: 'spl-memo', parsed: text };
  }
  if (sameKey(program, programs.system)) {
    return data.length < 4 ? null : apply('system', systemLayouts[data.readUInt32LE(0)], data, accounts);
  }
  if (sameKey(program, programs.associatedToken)) {
    return apply('spl-associated-token-account', associatedLayouts[data[0] ?? 0], data, accounts);
  }
  return isTokenProgram(program) ? apply('spl-token', tokenLayouts[data[0] ?? -1], data, accounts) : null;
};

/** Data too short for its layout is shown as bytes. */
const apply = (
  program: string,
  layout: Layout | undefined,
  data: Buffer,
  accounts: readonly string[],
): Parsed | null => {
  if (!layout || accounts.length < layout.least) return null;
  try {
    return { program, parsed: { type: layout.type, info: layout.info(data, accounts) } };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
};

const keyOf = (keys: readonly LoadedKey[], index: number): Uint8Array =>
  keys[index]?.key ?? new Uint8Array(32);

const systemLayouts: Readonly<Record<number, Layout>> = {
  0: plain('createAccount', ['source', 'newAccount'], (data) => ({
    lamports: lamportsAt(data, 4),
    space: lamportsAt(data, 12),
    owner: keyAt(data, 20),
  })),
  1: plain('assign', ['account'], (data) => ({ owner: keyAt(data, 4) })),
  2: plain('transfer', ['source', 'destination'], (data) => ({ lamports: lamportsAt(data, 4) })),
  8: plain('allocate', ['account'], (data) => ({ space: lamportsAt(data, 4) })),
};

const associated = ['source', 'account', 'wallet', 'mint', 'systemProgram', 'tokenProgram'];
const associatedLayouts: Readonly<Record<number, Layout>> = {
  0: plain('create', associated),
  1: plain('createIdempotent', associated),
};
