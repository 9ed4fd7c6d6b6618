// Token accounts, mints and signers' lists as the Token program sees them. The offsets are those of spl-token's layouts,
// which a test compares: to load spl-token itself takes longer than the whole start of the sandbox.
import { programs, sameKey, view } from '../../account.ts';
import type { Party } from '../instruction.ts';
import { refuse } from '../refusal.ts';
import { fail } from './errors.ts';

export const accountBytes = 165;
export const mintBytes = 82;
export const multisigBytes = 355;

export const accountAt = {
  mint: 0,
  owner: 32,
  amount: 64,
  delegateOption: 72,
  delegate: 76,
  state: 108,
  isNativeOption: 109,
  isNative: 113,
  delegatedAmount: 121,
  closeAuthorityOption: 129,
  closeAuthority: 133,
} as const;

export const mintAt = {
  mintAuthorityOption: 0,
  mintAuthority: 4,
  supply: 36,
  decimals: 44,
  isInitialized: 45,
  freezeAuthorityOption: 46,
  freezeAuthority: 50,
} as const;

export const multisigAt = { m: 0, n: 1, isInitialized: 2, signer1: 3 } as const;

/** The values of a token account's state. */
export const states = { uninitialized: 0, initialized: 1, frozen: 2 } as const;

/** A copy of an account, which the program may write as it likes: the runtime judges the outcome. */
export interface Copy {
  readonly party: Party;
  readonly key: Uint8Array;
  readonly signer: boolean;
  lamports: bigint;
  owner: Uint8Array;
  data: Buffer;
}

const ownLengths: ReadonlySet<number> = new Set([accountBytes, mintBytes, multisigBytes]);

/** One copy for all places at which an account is passed. */
export const copiesOf = (parties: readonly Party[]): Copy[] => {
  const byIndex = new Map<number, Copy>();
  return parties.map((party) => {
    const { lamports, owner, data } = party.account;
    const copy = byIndex.get(party.index) ?? {
      party,
      key: party.key,
      signer: party.signer,
      lamports,
      owner,
      data: ownLengths.has(data.length) ? Buffer.from(data) : view(data),
    };
    byIndex.set(party.index, copy);
    return copy;
  });
};

/** @throws Refusal where it is no token account */
export const tokenAccount = ({ data }: Copy): Buffer => {
  if (stateOf(data) === states.uninitialized) refuse('UninitializedAccount');
  return data;
};

/** @throws Refusal where it is no mint */
export const mint = ({ data }: Copy): Buffer => {
  if (!isInitialized(data, mintBytes, mintAt.isInitialized)) refuse('UninitializedAccount');
  return data;
};

/** @throws Refusal of data with another length, or with no state that there is */
export const stateOf = (data: Buffer): number => {
  const state = data[accountAt.state] ?? Infinity;
  if (data.length !== accountBytes || state > states.frozen) refuse('InvalidAccountData');
  return state;
};

/** @throws Refusal of data with another length, or with a flag that is neither */
export const isInitialized = (data: Buffer, bytes: number, at: number): boolean => {
  const flag = data[at] ?? Infinity;
  if (data.length !== bytes || flag > 1) refuse('InvalidAccountData');
  return flag === 1;
};

export const isFrozen = (account: Buffer): boolean => stateOf(account) === states.frozen;
export const isNative = (account: Buffer): boolean => account[accountAt.isNativeOption] === 1;

export const u64 = (data: Buffer, at: number): bigint => data.readBigUInt64LE(at);
/** Beyond its range a number begins again, as in the program. */
export const setU64 = (data: Buffer, at: number, value: bigint): void =>
  void data.writeBigUInt64LE(BigInt.asUintN(64, value), at);

/** The key behind this option; only the option's first byte counts. */
export const optionalKey = (data: Buffer, at: number): Buffer | null =>
  data[at] === 1 ? data.subarray(at + 4, at + 36) : null;

/** Null clears the option alone, and leaves the key behind it. */
export const setOptionalKey = (data: Buffer, at: number, key: Uint8Array | null): void => {
  data[at] = key ? 1 : 0;
  if (key) data.set(key, at + 4);
};

/** @throws Refusal unless the copy belongs to the Token program: for instructions that change nothing */
export const checkProgram = ({ owner }: Copy): void => {
  if (!sameKey(owner, programs.token)) refuse('IncorrectProgramId');
};

/**
 * That the owner is the expected one and has signed, in person or by enough of its signers.
 * @throws Refusal
 */
export const checkOwner = (expected: Uint8Array, owner: Copy, signers: readonly Copy[]): void => {
  if (!sameKey(expected, owner.key)) fail('OwnerMismatch');
  const isList =
    owner.data.length === multisigBytes &&
    (sameKey(owner.owner, programs.token) || sameKey(owner.owner, programs.token2022));
  if (!isList) {
    if (!owner.signer) refuse('MissingRequiredSignature');
    return;
  }
  if (!isInitialized(owner.data, multisigBytes, multisigAt.isInitialized)) refuse('UninitializedAccount');
  if (countSigners(owner.data, signers) < (owner.data[multisigAt.m] ?? 0)) refuse('MissingRequiredSignature');
};

/** Each place of the list counts once. */
const countSigners = (list: Buffer, signers: readonly Copy[]): number => {
  const matched = new Set<number>();
  for (const { key, signer } of signers) {
    for (let place = 0; place < (list[multisigAt.n] ?? 0); place += 1) {
      const start = multisigAt.signer1 + place * 32;
      if (matched.has(place) || !sameKey(list.subarray(start, start + 32), key)) continue;
      if (!signer) refuse('MissingRequiredSignature');
      matched.add(place);
    }
  }
  return matched.size;
};
