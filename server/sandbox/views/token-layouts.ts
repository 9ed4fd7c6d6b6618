// The token programs' instructions as `jsonParsed`, by their first byte.
import bs58 from 'bs58';

import { tokenAmount } from './account-view.ts';

type Info = Readonly<Record<string, unknown>>;
export type Parser = (data: Buffer, accounts: readonly string[]) => Info;
export interface Layout {
  type: string;
  /** The number of accounts that it needs at least. */
  least: number;
  info: Parser;
}

export const keyAt = (data: Buffer, offset: number): string => {
  if (data.length < offset + 32) throw new RangeError('too short');
  return bs58.encode(data.subarray(offset, offset + 32));
};
export const lamportsAt = (data: Buffer, offset: number): number => Number(data.readBigUInt64LE(offset));
const amountAt = (data: Buffer): string => data.readBigUInt64LE(1).toString();
const checkedAt = (data: Buffer): object => tokenAmount(data.readBigUInt64LE(1), data.readUInt8(9));

/** A single signer is named after its role; several are listed beside their multisignature account. */
const authority = (role: string, [key, ...signers]: readonly string[]): Info =>
  signers.length === 0
    ? { [role]: key }
    : { [`multisig${role.charAt(0).toUpperCase()}${role.slice(1)}`]: key, signers };

const mintInfo =
  (hasRentSysvar: boolean): Parser =>
  (data, [mint, rentSysvar]) => ({
    mint,
    decimals: data.readUInt8(1),
    mintAuthority: keyAt(data, 2),
    ...(hasRentSysvar ? { rentSysvar } : {}),
    ...(data.readUInt8(34) === 1 ? { freezeAuthority: keyAt(data, 35) } : {}),
  });

const freezing: Parser = (_, [account, mint, ...who]) => ({
  account,
  mint,
  ...authority('freezeAuthority', who),
});

export const tokenLayouts: Readonly<Record<number, Layout>> = {
  0: { type: 'initializeMint', least: 2, info: mintInfo(true) },
  1: {
    type: 'initializeAccount',
    least: 4,
    info: (_, [account, mint, owner, rentSysvar]) => ({ account, mint, owner, rentSysvar }),
  },
  3: {
    type: 'transfer',
    least: 3,
    info: (data, [source, destination, ...who]) => ({
      source,
      destination,
      amount: amountAt(data),
      ...authority('authority', who),
    }),
  },
  4: {
    type: 'approve',
    least: 3,
    info: (data, [source, delegate, ...who]) => ({
      source,
      delegate,
      amount: amountAt(data),
      ...authority('owner', who),
    }),
  },
  5: { type: 'revoke', least: 2, info: (_, [source, ...who]) => ({ source, ...authority('owner', who) }) },
  7: {
    type: 'mintTo',
    least: 3,
    info: (data, [mint, account, ...who]) => ({
      mint,
      account,
      amount: amountAt(data),
      ...authority('mintAuthority', who),
    }),
  },
  8: {
    type: 'burn',
    least: 3,
    info: (data, [account, mint, ...who]) => ({
      account,
      mint,
      amount: amountAt(data),
      ...authority('authority', who),
    }),
  },
  9: {
    type: 'closeAccount',
    least: 3,
    info: (_, [account, destination, ...who]) => ({ account, destination, ...authority('owner', who) }),
  },
  10: { type: 'freezeAccount', least: 3, info: freezing },
  11: { type: 'thawAccount', least: 3, info: freezing },
  12: {
    type: 'transferChecked',
    least: 4,
    info: (data, [source, mint, destination, ...who]) => ({
      source,
      mint,
      destination,
      tokenAmount: checkedAt(data),
      ...authority('authority', who),
    }),
  },
  13: {
    type: 'approveChecked',
    least: 4,
    info: (data, [source, mint, delegate, ...who]) => ({
      source,
      mint,
      delegate,
      tokenAmount: checkedAt(data),
      ...authority('owner', who),
    }),
  },
  14: {
    type: 'mintToChecked',
    least: 3,
    info: (data, [mint, account, ...who]) => ({
      mint,
      account,
      tokenAmount: checkedAt(data),
      ...authority('mintAuthority', who),
    }),
  },
  15: {
    type: 'burnChecked',
    least: 3,
    info: (data, [account, mint, ...who]) => ({
      account,
      mint,
      tokenAmount: checkedAt(data),
      ...authority('authority', who),
    }),
  },
  16: {
    type: 'initializeAccount2',
    least: 3,
    info: (data, [account, mint, rentSysvar]) => ({ account, mint, owner: keyAt(data, 1), rentSysvar }),
  },
  17: { type: 'syncNative', least: 1, info: (_, [account]) => ({ account }) },
  18: {
    type: 'initializeAccount3',
    least: 2,
    info: (data, [account, mint]) => ({ account, mint, owner: keyAt(data, 1) }),
  },
  20: { type: 'initializeMint2', least: 1, info: mintInfo(false) },
  21: {
    type: 'getAccountDataSize',
    least: 1,
    info: (data, [mint]) => (data.length < 3 ? { mint } : { mint, extensionTypes: ['immutableOwner'] }),
  },
  22: { type: 'initializeImmutableOwner', least: 1, info: (_, [account]) => ({ account }) },
};
