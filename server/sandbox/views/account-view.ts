// Accounts as clients see them, in the encodings of a real node.
import { zstdCompressSync } from 'node:zlib';
import bs58 from 'bs58';

import {
  mintSupply,
  programs,
  sameKey,
  tokenHolding,
  tokenKind,
  view,
  type Account,
} from '../chain/account.ts';
import { RpcError } from '../rpc/errors.ts';

export const accountEncodings = ['binary', 'base58', 'base64', 'base64+zstd', 'jsonParsed'] as const;
export type AccountEncoding = (typeof accountEncodings)[number];

export interface AccountShape {
  encoding: AccountEncoding;
  slice: { offset: number; length: number } | null;
}

interface TokenAmount {
  amount: string;
  decimals: number;
  uiAmount: number;
  uiAmountString: string;
}

type DecimalsOf = (mint: Uint8Array) => number | null;

/** The largest u64, which a JavaScript number cannot hold. */
const neverRent = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON('18446744073709551615');
const maxBase58Bytes = 128;

export const renderAccount = (account: Account, shape: AccountShape, decimalsOf: DecimalsOf): object => ({
  lamports: Number(account.lamports),
  data: renderData(account, shape, decimalsOf),
  owner: bs58.encode(account.owner),
  executable: account.executable,
  rentEpoch: neverRent,
  space: account.data.length,
});

export const tokenAmount = (amount: bigint, decimals: number): TokenAmount => {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const uiAmountString = fraction === '' ? whole : `${whole}.${fraction}`;
  return { amount: amount.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString };
};

const renderData = (account: Account, { encoding, slice }: AccountShape, decimalsOf: DecimalsOf): unknown => {
  const data = view(slice ? account.data.subarray(slice.offset, slice.offset + slice.length) : account.data);
  switch (encoding) {
    case 'binary':
      return base58Data(data);
    case 'base58':
      return [base58Data(data), 'base58'];
    case 'base64':
      return [data.toString('base64'), 'base64'];
    case 'base64+zstd':
      return [zstdCompressSync(data).toString('base64'), 'base64+zstd'];
    case 'jsonParsed':
      return parsedData(account, decimalsOf) ?? [data.toString('base64'), 'base64'];
  }
};

const base58Data = (data: Buffer): string => {
  if (data.length > maxBase58Bytes) {
    throw new RpcError(
      'invalidRequest',
      'Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.',
    );
  }
  return bs58.encode(data);
};

const parsedData = (account: Account, decimalsOf: DecimalsOf): object | null => {
  const kind = tokenKind(account);
  const info =
    kind === 'account' ? tokenInfo(account, decimalsOf) : kind === 'mint' ? mintInfo(account) : null;
  if (info === null) return null;
  const program = sameKey(account.owner, programs.token) ? 'spl-token' : 'spl-token-2022';
  return { program, parsed: { type: kind, info }, space: account.data.length };
};

const tokenInfo = (account: Account, decimalsOf: DecimalsOf): object | null => {
  const data = view(account.data);
  const holding = tokenHolding(account);
  const decimals = holding && decimalsOf(holding.mint);
  if (!holding || decimals === null) return null;
  const delegate = optionalKey(data, 72);
  const closeAuthority = optionalKey(data, 129);
  const isNative = data.readUInt32LE(109) === 1;
  return {
    isNative,
    mint: bs58.encode(holding.mint),
    owner: bs58.encode(holding.owner),
    state: data[108] === 2 ? 'frozen' : 'initialized',
    tokenAmount: tokenAmount(holding.amount, decimals),
    ...(delegate === null
      ? {}
      : { delegate, delegatedAmount: tokenAmount(data.readBigUInt64LE(121), decimals) }),
    ...(isNative ? { rentExemptReserve: tokenAmount(data.readBigUInt64LE(113), decimals) } : {}),
    ...(closeAuthority === null ? {} : { closeAuthority }),
  };
};

const mintInfo = (account: Account): object => {
  const data = view(account.data);
  return {
    decimals: data[44],
    freezeAuthority: optionalKey(data, 46),
    isInitialized: data[45] === 1,
    mintAuthority: optionalKey(data, 0),
    supply: mintSupply(account).toString(),
  };
};

/** An optional key of the token program: a tag of four bytes, then the key. */
const optionalKey = (data: Buffer, offset: number): string | null =>
  data.readUInt32LE(offset) === 1 ? bs58.encode(data.subarray(offset + 4, offset + 36)) : null;
