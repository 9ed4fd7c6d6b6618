// Mints, token accounts and signers' lists begin.
import bs58 from 'bs58';

import { sameKey } from '../../account.ts';
import { rentSysvar } from '../genesis.ts';
import { Refusal, refuse } from '../refusal.ts';
import { rentExemption } from '../rent.ts';
import { fail } from './errors.ts';
import {
  accountAt,
  checkProgram,
  isInitialized,
  mint,
  mintAt,
  mintBytes,
  multisigAt,
  multisigBytes,
  setOptionalKey,
  setU64,
  stateOf,
  states,
  type Copy,
} from './state.ts';
import { at, need, type TokenCall, type TokenInstruction } from './token-call.ts';

/** The older form is handed the system's rent as an account; the newer knows it. */
export const initializeMint: TokenInstruction = (call) => openMint(call, 1);
export const initializeMint2: TokenInstruction = (call) => openMint(call, null);

const openMint = (call: TokenCall, rentAt: number | null): void => {
  const { data } = call;
  if (data.length < 34) fail('InvalidInstruction');
  const freezer = optionalKeyIn(data, 33);
  need(call, rentAt === null ? 1 : 2);
  const copy = at(call, 0);
  if (rentAt !== null) checkRent(at(call, rentAt));
  if (isInitialized(copy.data, mintBytes, mintAt.isInitialized)) fail('AlreadyInUse');
  if (!isExempt(copy)) fail('NotRentExempt');
  copy.data[mintAt.isInitialized] = 1;
  setOptionalKey(copy.data, mintAt.mintAuthorityOption, data.subarray(1, 33));
  copy.data[mintAt.decimals] = data[0] ?? 0;
  if (freezer) setOptionalKey(copy.data, mintAt.freezeAuthorityOption, freezer);
};

/** The owner is an account of the call. */
export const initializeAccount: TokenInstruction = (call) => {
  need(call, 3);
  openAccount(call, at(call, 2).key, 3);
};
export const initializeAccount2: TokenInstruction = (call) => {
  const owner = ownerIn(call.data);
  need(call, 2);
  openAccount(call, owner, 2);
};
export const initializeAccount3: TokenInstruction = (call) => {
  const owner = ownerIn(call.data);
  need(call, 2);
  openAccount(call, owner, null);
};

const ownerIn = (data: Buffer): Buffer =>
  data.length < 32 ? fail('InvalidInstruction') : data.subarray(0, 32);

/** Its tokens are the lamports beyond the deposit. */
export const nativeMint = bs58.decode('So11111111111111111111111111111111111111112');

const openAccount = (call: TokenCall, owner: Uint8Array, rentAt: number | null): void => {
  const [copy, mintCopy] = [at(call, 0), at(call, 1)];
  if (rentAt !== null) checkRent(at(call, rentAt));
  if (stateOf(copy.data) !== states.uninitialized) fail('AlreadyInUse');
  if (!isExempt(copy)) fail('NotRentExempt');
  const holdsLamports = sameKey(mintCopy.key, nativeMint);
  if (!holdsLamports) {
    checkProgram(mintCopy);
    checkIsMint(mintCopy);
  }
  const { data } = copy;
  data[accountAt.state] = states.initialized;
  data.set(mintCopy.key, accountAt.mint);
  data.set(owner, accountAt.owner);
  if (!holdsLamports) return;
  const deposit = rentExemption(data.length);
  data[accountAt.isNativeOption] = 1;
  setU64(data, accountAt.isNative, deposit);
  setU64(data, accountAt.amount, copy.lamports - deposit);
};

/** @throws Refusal that calls it no mint, whatever is wrong */
export const checkIsMint = (copy: Copy): Buffer => {
  try {
    return mint(copy);
  } catch (error) {
    if (error instanceof Refusal) fail('InvalidMint');
    throw error;
  }
};

export const initializeMultisig: TokenInstruction = (call) => openMultisig(call, 1);
export const initializeMultisig2: TokenInstruction = (call) => openMultisig(call, null);

const mostSigners = 11;
const isCount = (count: number): boolean => count >= 1 && count <= mostSigners;

const openMultisig = (call: TokenCall, rentAt: number | null): void => {
  const needed = call.data[0] ?? fail('InvalidInstruction');
  need(call, rentAt === null ? 1 : 2);
  const copy = at(call, 0);
  if (rentAt !== null) checkRent(at(call, rentAt));
  if (isInitialized(copy.data, multisigBytes, multisigAt.isInitialized)) fail('AlreadyInUse');
  if (!isExempt(copy)) fail('NotRentExempt');
  const signers = call.copies.slice(rentAt === null ? 1 : 2);
  if (!isCount(signers.length)) fail('InvalidNumberOfProvidedSigners');
  if (!isCount(needed)) fail('InvalidNumberOfRequiredSigners');
  copy.data[multisigAt.m] = needed;
  copy.data[multisigAt.n] = signers.length;
  copy.data[multisigAt.isInitialized] = 1;
  for (const [place, { key }] of signers.entries()) copy.data.set(key, multisigAt.signer1 + place * 32);
};

/** Token accounts of this program keep their owner's mark elsewhere: nothing to do but to look. */
export const initializeImmutableOwner: TokenInstruction = (call) => {
  if (stateOf(at(call, 0).data) !== states.uninitialized) fail('AlreadyInUse');
};

/** A key behind a byte that says whether there is one. @throws Refusal */
export const optionalKeyIn = (data: Buffer, start: number): Buffer | null => {
  if (data[start] === 0) return null;
  return data[start] === 1 && data.length >= start + 33
    ? data.subarray(start + 1, start + 33)
    : fail('InvalidInstruction');
};

/** @throws Refusal of an account that is not the system's rent */
export const checkRent = ({ key }: Copy): void => {
  if (!sameKey(key, rentSysvar)) refuse('InvalidArgument');
};

const isExempt = ({ lamports, data }: Copy): boolean => lamports >= rentExemption(data.length);
