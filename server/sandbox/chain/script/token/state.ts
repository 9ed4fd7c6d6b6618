// Token accounts and mints as the Token program sees them. The offsets are those of spl-token's layouts,
// which a test compares: to load spl-token itself takes longer than the whole start of the sandbox.
import { isTokenProgram, programs, sameKey, view } from '../../account.ts';
import type { Party } from '../instruction.ts';
import { refuse, refuseMissing } from '../refusal.ts';
import { fail } from './errors.ts';

export const accountBytes = 165;
export const mintBytes = 82;
/** Of a list of several signers. */
const multisigBytes = 355;

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

const ownLengths: ReadonlySet<number> = new Set([accountBytes, mintBytes]);

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

/** @throws Refusal where it is no token account, or one whose tokens are lamports */
export const tokenAccount = ({ data }: Copy): Buffer => {
  if (stateOf(data) === states.uninitialized) refuse('UninitializedAccount');
  if (data[accountAt.isNativeOption] === 1) refuseMissing('Wrapped SOL');
  return data;
};

/** @throws Refusal where it is no mint */
export const mint = ({ data }: Copy): Buffer => {
  if (!isMint(data)) refuse('UninitializedAccount');
  return data;
};

/** @throws Refusal of data with another length, or with no state that there is */
export const stateOf = (data: Buffer): number => {
  const state = data[accountAt.state] ?? Infinity;
  if (data.length !== accountBytes || state > states.frozen) refuse('InvalidAccountData');
  return state;
};

/** Whether it is a mint. @throws Refusal of data with another length, or with a flag that is neither */
export const isMint = (data: Buffer): boolean => {
  const flag = data[mintAt.isInitialized] ?? Infinity;
  if (data.length !== mintBytes || flag > 1) refuse('InvalidAccountData');
  return flag === 1;
};

export const isFrozen = (account: Buffer): boolean => stateOf(account) === states.frozen;

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

/** That the owner is the expected one and has signed. @throws Refusal, also of a list of signers */
export const checkOwner = (expected: Uint8Array, owner: Copy): void => {
  if (!sameKey(expected, owner.key)) fail('OwnerMismatch');
  if (owner.data.length === multisigBytes && isTokenProgram(owner.owner)) refuseMissing('A list of signers');
  if (!owner.signer) refuse('MissingRequiredSignature');
};
