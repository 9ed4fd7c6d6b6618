// An account in the ledger, and the few fields of token accounts and mints that the chain itself needs.
import bs58 from 'bs58';
import {
  associatedTokenProgram,
  computeBudgetProgram,
  memoProgram,
  systemProgram,
  tokenProgram,
} from '../../lib/solana/programs.ts';

export interface Account {
  readonly lamports: bigint;
  readonly owner: Uint8Array;
  readonly executable: boolean;
  readonly data: Uint8Array;
}

const key = (address: string): Uint8Array => bs58.decode(address);

export const programs = {
  system: key(systemProgram),
  token: key(tokenProgram),
  token2022: key('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'),
  associatedToken: key(associatedTokenProgram),
  memo: key(memoProgram),
  memoV1: key('Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo'),
  computeBudget: key(computeBudgetProgram),
  ed25519: key('Ed25519SigVerify111111111111111111111111111'),
  lookupTable: key('AddressLookupTab1e1111111111111111111111111'),
} as const;

export const usdcMint = key('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');

export const sameKey = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

export const isTokenProgram = (owner: Uint8Array): boolean =>
  sameKey(owner, programs.token) || sameKey(owner, programs.token2022);

interface TokenHolding {
  readonly mint: Uint8Array;
  readonly owner: Uint8Array;
  readonly amount: bigint;
}

const tokenAccountBytes = 165;
const mintBytes = 82;
/** Offset of token-2022's type of an account with extensions: 1 for a mint, 2 for a token account. */
const kindOffset = 165;

export const tokenKind = ({ owner, data }: Account): 'account' | 'mint' | null => {
  if (!isTokenProgram(owner)) return null;
  if (data.length === mintBytes) return data[45] === 1 ? 'mint' : null;
  if (data.length > tokenAccountBytes && data[kindOffset] === 1) return 'mint';
  return data.length >= tokenAccountBytes && data[108] !== 0 ? 'account' : null;
};

export const tokenHolding = (account: Account): TokenHolding | null =>
  tokenKind(account) === 'account'
    ? {
        mint: account.data.subarray(0, 32),
        owner: account.data.subarray(32, 64),
        amount: view(account.data).readBigUInt64LE(64),
      }
    : null;

export const mintDecimals = (account: Account | null): number | null =>
  account && tokenKind(account) === 'mint' ? (account.data[44] ?? null) : null;

export const mintSupply = (account: Account): bigint => view(account.data).readBigUInt64LE(36);

/** A mint whose authority may also freeze accounts, as that of USDC may; in the token program's layout. */
export const encodeMint = (authority: Uint8Array, decimals: number): Uint8Array => {
  const data = Buffer.alloc(mintBytes);
  data.writeUInt32LE(1, 0);
  data.set(authority, 4);
  data[44] = decimals;
  data[45] = 1;
  data.writeUInt32LE(1, 46);
  data.set(authority, 50);
  return data;
};

export const encodeAccount = ({ lamports, owner, executable, data }: Account): Buffer => {
  const image = Buffer.allocUnsafe(41 + data.length);
  image.writeBigUInt64LE(lamports, 0);
  image[8] = executable ? 1 : 0;
  image.set(owner, 9);
  image.set(data, 41);
  return image;
};

export const decodeAccount = (image: Buffer): Account => ({
  lamports: image.readBigUInt64LE(0),
  executable: image[8] === 1,
  owner: image.subarray(9, 41),
  data: image.subarray(41),
});

export const sameAccount = (a: Account | null, b: Account | null): boolean =>
  a === b ||
  (a !== null &&
    b !== null &&
    a.lamports === b.lamports &&
    a.executable === b.executable &&
    sameKey(a.owner, b.owner) &&
    Buffer.compare(a.data, b.data) === 0);

export const view = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
