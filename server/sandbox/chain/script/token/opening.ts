// Mints and token accounts begin.
import bs58 from 'bs58';

import { sameKey } from '../../account.ts';
import { Refusal, refuseMissing } from '../refusal.ts';
import { rentExemption } from '../rent.ts';
import { fail } from './errors.ts';
import {
  accountAt,
  accountBytes,
  checkProgram,
  isMint,
  mint,
  mintAt,
  setOptionalKey,
  stateOf,
  states,
  type Copy,
} from './state.ts';
import { at, type TokenInstruction } from './token-call.ts';

export const initializeMint2: TokenInstruction = (call) => {
  const { data } = call;
  if (data.length < 34) fail('InvalidInstruction');
  const freezer = optionalKeyIn(data, 33);
  const copy = at(call, 0);
  if (isMint(copy.data)) fail('AlreadyInUse');
  if (!isExempt(copy)) fail('NotRentExempt');
  copy.data[mintAt.isInitialized] = 1;
  setOptionalKey(copy.data, mintAt.mintAuthorityOption, data.subarray(1, 33));
  copy.data[mintAt.decimals] = data[0] ?? 0;
  if (freezer) setOptionalKey(copy.data, mintAt.freezeAuthorityOption, freezer);
};

/** Its tokens would be lamports. */
const nativeMint = bs58.decode('So11111111111111111111111111111111111111112');

export const initializeAccount3: TokenInstruction = (call) => {
  if (call.data.length < 32) fail('InvalidInstruction');
  const [copy, mintCopy] = [at(call, 0), at(call, 1)];
  if (stateOf(copy.data) !== states.uninitialized) fail('AlreadyInUse');
  if (!isExempt(copy)) fail('NotRentExempt');
  if (sameKey(mintCopy.key, nativeMint)) refuseMissing('Wrapped SOL');
  checkProgram(mintCopy);
  checkIsMint(mintCopy);
  const { data } = copy;
  data[accountAt.state] = states.initialized;
  data.set(mintCopy.key, accountAt.mint);
  data.set(call.data.subarray(0, 32), accountAt.owner);
};

/** The answer is the size of every token account. */
export const getAccountDataSize: TokenInstruction = (call) => {
  const copy = at(call, 0);
  checkProgram(copy);
  checkIsMint(copy);
  call.answer(Uint8Array.of(accountBytes, 0, 0, 0, 0, 0, 0, 0));
};

/** @throws Refusal that calls it no mint, whatever is wrong */
const checkIsMint = (copy: Copy): void => {
  try {
    mint(copy);
  } catch (error) {
    if (error instanceof Refusal) fail('InvalidMint');
    throw error;
  }
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

const isExempt = ({ lamports, data }: Copy): boolean => lamports >= rentExemption(data.length);
