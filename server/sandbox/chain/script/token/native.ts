// Lamports in token accounts: those that are tokens, and those beyond the deposit.
import { sameKey } from '../../account.ts';
import { refuse } from '../refusal.ts';
import { rentExemption } from '../rent.ts';
import { fail } from './errors.ts';
import { checkRent } from './opening.ts';
import {
  accountAt,
  accountBytes,
  checkOwner,
  checkProgram,
  isNative,
  mint,
  mintAt,
  mintBytes,
  multisigBytes,
  optionalKey,
  setU64,
  tokenAccount,
  u64,
  type Copy,
} from './state.ts';
import { at, need, type TokenCall, type TokenInstruction } from './token-call.ts';
import { ownerOf, spendAs } from './transfer.ts';

/** Lamports that have arrived since become tokens. */
export const syncNative: TokenInstruction = (call) => {
  const copy = at(call, 0);
  checkProgram(copy);
  const rent = call.copies[1];
  if (rent) checkRent(rent);
  const account = tokenAccount(copy);
  if (!isNative(account)) fail('NonNativeNotSupported');
  const deposit = rentExemption(account.length);
  if (copy.lamports < deposit) fail('Overflow');
  setU64(account, accountAt.isNative, deposit);
  setU64(account, accountAt.amount, copy.lamports - deposit);
};

/** Tokens become lamports of another account; without an amount, all of them. */
export const unwrapLamports: TokenInstruction = (call) => {
  const wanted = wantedOf(call);
  need(call, 3);
  const [source, destination, authority] = [at(call, 0), at(call, 1), at(call, 2)];
  const account = tokenAccount(source);
  if (!isNative(account)) fail('NonNativeNotSupported');
  const amount = wanted ?? u64(account, accountAt.amount);
  if (u64(account, accountAt.amount) < amount) fail('InsufficientFunds');
  spendAs(authority, { account, amount, keepsAllowance: false }, call.copies.slice(3));
  if (amount === 0n) return checkProgram(source);
  setU64(account, accountAt.amount, u64(account, accountAt.amount) - amount);
  source.lamports -= amount;
  destination.lamports += amount;
};

const wantedOf = ({ data }: TokenCall): bigint | null => {
  if (data[0] === 0) return null;
  return data[0] === 1 && data.length >= 9 ? data.readBigUInt64LE(1) : fail('InvalidInstruction');
};

/** Lamports beyond the deposit go to another account; those of a native account are its tokens. */
export const withdrawExcessLamports: TokenInstruction = (call) => {
  need(call, 3);
  const [source, destination, authority] = [at(call, 0), at(call, 1), at(call, 2)];
  checkMayWithdraw(source, authority, call.copies.slice(3));
  const excess = source.lamports - rentExemption(source.data.length);
  if (excess < 0n) fail('NotRentExempt');
  source.lamports -= excess;
  destination.lamports += excess;
};

const checkMayWithdraw = (source: Copy, authority: Copy, signers: readonly Copy[]): void => {
  const { data } = source;
  if (data.length === accountBytes) {
    if (isNative(tokenAccount(source))) fail('NativeNotSupported');
    checkOwner(ownerOf(data), authority, signers);
  } else if (data.length === mintBytes) {
    const issuer = optionalKey(mint(source), mintAt.mintAuthorityOption);
    if (issuer) checkOwner(issuer, authority, signers);
    else if (!sameKey(source.key, authority.key)) fail('AuthorityTypeNotSupported');
    else if (!authority.signer) refuse('MissingRequiredSignature');
  } else if (data.length === multisigBytes) checkOwner(source.key, authority, signers);
  else fail('InvalidState');
};
