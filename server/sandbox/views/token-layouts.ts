// The token programs' instructions as `jsonParsed`, by their first byte.
import bs58 from 'bs58';

import { tokenAmount } from './account-view.ts';

type Info = Readonly<Record<string, unknown>>;
export interface Layout {
  type: string;
  /** The number of accounts that it needs at least. */
  least: number;
  info(data: Buffer, accounts: readonly string[]): Info;
}

export const keyAt = (data: Buffer, offset: number): string => {
  if (data.length < offset + 32) throw new RangeError('too short');
  return bs58.encode(data.subarray(offset, offset + 32));
};
export const lamportsAt = (data: Buffer, offset: number): number => Number(data.readBigUInt64LE(offset));

/** A single signer is named after its role; several are listed beside their multisignature account. */
const authority = (role: string, [key, ...signers]: readonly string[]): Info =>
  signers.length === 0
    ? { [role]: key }
    : { [`multisig${role.charAt(0).toUpperCase()}${role.slice(1)}`]: key, signers };

type Reader = (data: Buffer) => Info;
const amount: Reader = (data) => ({ amount: data.readBigUInt64LE(1).toString() });
const checkedAmount: Reader = (data) => ({
  tokenAmount: tokenAmount(data.readBigUInt64LE(1), data.readUInt8(9)),
});
const owner: Reader = (data) => ({ owner: keyAt(data, 1) });

/** An instruction whose accounts have these names, and whose data say what `read` makes of them. */
export const plain = (type: string, names: readonly string[], read: Reader = () => ({})): Layout => ({
  type,
  least: names.length,
  info: (data, accounts) => ({
    ...Object.fromEntries(names.map((name, at) => [name, accounts[at]])),
    ...read(data),
  }),
});

/** The same, where somebody in this role signs: its accounts are the last. */
const signedBy = (role: string, type: string, names: readonly string[], read?: Reader): Layout => {
  const { least, info } = plain(type, names, read);
  return {
    type,
    least: least + 1,
    info: (data, accounts) => ({ ...info(data, accounts), ...authority(role, accounts.slice(least)) }),
  };
};

const mintInfo: Reader = (data) => ({
  decimals: data.readUInt8(1),
  mintAuthority: keyAt(data, 2),
  ...(data.readUInt8(34) === 1 ? { freezeAuthority: keyAt(data, 35) } : {}),
});

export const tokenLayouts: Readonly<Record<number, Layout>> = {
  0: plain('initializeMint', ['mint', 'rentSysvar'], mintInfo),
  1: plain('initializeAccount', ['account', 'mint', 'owner', 'rentSysvar']),
  3: signedBy('authority', 'transfer', ['source', 'destination'], amount),
  4: signedBy('owner', 'approve', ['source', 'delegate'], amount),
  5: signedBy('owner', 'revoke', ['source']),
  7: signedBy('mintAuthority', 'mintTo', ['mint', 'account'], amount),
  8: signedBy('authority', 'burn', ['account', 'mint'], amount),
  9: signedBy('owner', 'closeAccount', ['account', 'destination']),
  10: signedBy('freezeAuthority', 'freezeAccount', ['account', 'mint']),
  11: signedBy('freezeAuthority', 'thawAccount', ['account', 'mint']),
  12: signedBy('authority', 'transferChecked', ['source', 'mint', 'destination'], checkedAmount),
  13: signedBy('owner', 'approveChecked', ['source', 'mint', 'delegate'], checkedAmount),
  14: signedBy('mintAuthority', 'mintToChecked', ['mint', 'account'], checkedAmount),
  15: signedBy('authority', 'burnChecked', ['account', 'mint'], checkedAmount),
  16: plain('initializeAccount2', ['account', 'mint', 'rentSysvar'], owner),
  17: plain('syncNative', ['account']),
  18: plain('initializeAccount3', ['account', 'mint'], owner),
  20: plain('initializeMint2', ['mint'], mintInfo),
  21: plain('getAccountDataSize', ['mint'], (data) =>
    data.length < 3 ? {} : { extensionTypes: ['immutableOwner'] },
  ),
  22: plain('initializeImmutableOwner', ['account']),
};
