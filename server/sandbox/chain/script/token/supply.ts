// Tokens are made and burnt.
import bs58 from 'bs58';

import { programs, sameKey } from '../../account.ts';
import { fail } from './errors.ts';
import {
  accountAt,
  checkOwner,
  checkProgram,
  isFrozen,
  isNative,
  mint,
  mintAt,
  optionalKey,
  setU64,
  tokenAccount,
  u64,
} from './state.ts';
import { amountOf, at, checkedAmountOf, need, type TokenCall, type TokenInstruction } from './token-call.ts';
import { checkDecimals, mintOf, ownerOf, spendAs } from './transfer.ts';

export const mintTo: TokenInstruction = (call) => mintAmount(call, amountOf(call), null);

export const mintToChecked: TokenInstruction = (call) => {
  const { amount, decimals } = checkedAmountOf(call);
  mintAmount(call, amount, decimals);
};

export const burn: TokenInstruction = (call) => burnAmount(call, amountOf(call), null);

export const burnChecked: TokenInstruction = (call) => {
  const { amount, decimals } = checkedAmountOf(call);
  burnAmount(call, amount, decimals);
};

const mintAmount = (call: TokenCall, amount: bigint, decimals: number | null): void => {
  need(call, 3);
  const [mintCopy, destination, authority] = [at(call, 0), at(call, 1), at(call, 2)];
  const account = tokenAccount(destination);
  if (isFrozen(account)) fail('AccountFrozen');
  if (isNative(account)) fail('NativeNotSupported');
  if (!sameKey(mintCopy.key, mintOf(account))) fail('MintMismatch');
  const data = mint(mintCopy);
  if (decimals !== null) checkDecimals(data, decimals);
  const issuer = optionalKey(data, mintAt.mintAuthorityOption) ?? fail('FixedSupply');
  checkOwner(issuer, authority, call.copies.slice(3));
  if (amount === 0n) {
    checkProgram(mintCopy);
    checkProgram(destination);
    return;
  }
  const supply = u64(data, mintAt.supply) + amount;
  if (supply >= 2n ** 64n) fail('Overflow');
  setU64(data, mintAt.supply, supply);
  setU64(account, accountAt.amount, u64(account, accountAt.amount) + amount);
};

const burnAmount = (call: TokenCall, amount: bigint, decimals: number | null): void => {
  need(call, 3);
  const [source, mintCopy, authority] = [at(call, 0), at(call, 1), at(call, 2)];
  const account = tokenAccount(source);
  const data = mint(mintCopy);
  if (isFrozen(account)) fail('AccountFrozen');
  if (isNative(account)) fail('NativeNotSupported');
  if (u64(account, accountAt.amount) < amount) fail('InsufficientFunds');
  if (!sameKey(mintCopy.key, mintOf(account))) fail('MintMismatch');
  if (decimals !== null) checkDecimals(data, decimals);
  if (!isNobodys(account))
    spendAs(authority, { account, amount, keepsAllowance: false }, call.copies.slice(3));
  if (amount === 0n) {
    checkProgram(source);
    checkProgram(mintCopy);
    return;
  }
  setU64(account, accountAt.amount, u64(account, accountAt.amount) - amount);
  setU64(data, mintAt.supply, u64(data, mintAt.supply) - amount);
};

export const incinerator = bs58.decode('1nc1nerator11111111111111111111111111111111');

/** Owned by an address that can never sign: anybody may burn what is in it, and close it. */
export const isNobodys = (account: Buffer): boolean =>
  sameKey(ownerOf(account), programs.system) || sameKey(ownerOf(account), incinerator);
