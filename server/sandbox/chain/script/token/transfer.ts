// Tokens move from one account to another.
import { sameKey } from '../../account.ts';
import { fail } from './errors.ts';
import {
  accountAt,
  checkOwner,
  checkProgram,
  isFrozen,
  mint,
  mintAt,
  optionalKey,
  setOptionalKey,
  setU64,
  tokenAccount,
  u64,
  type Copy,
} from './state.ts';
import { amountOf, at, checkedAmountOf, need, type TokenInstruction } from './token-call.ts';

export const transfer: TokenInstruction = (call) => {
  const amount = amountOf(call);
  need(call, 3);
  const [source, destination, authority] = [at(call, 0), at(call, 1), at(call, 2)];
  move({ source, destination, amount }, null, authority);
};

export const transferChecked: TokenInstruction = (call) => {
  const { amount, decimals } = checkedAmountOf(call);
  need(call, 4);
  const [source, destination, authority] = [at(call, 0), at(call, 2), at(call, 3)];
  const expected = { mint: at(call, 1), decimals };
  move({ source, destination, amount }, expected, authority);
};

interface Move {
  readonly source: Copy;
  readonly destination: Copy;
  readonly amount: bigint;
}

/** The mint that the caller believes in. */
export interface ExpectedMint {
  readonly mint: Copy;
  readonly decimals: number;
}

const move = (
  { source, destination, amount }: Move,
  expected: ExpectedMint | null,
  authority: Copy,
): void => {
  const from = tokenAccount(source);
  const isItself = source === destination;
  const to = isItself ? from : tokenAccount(destination);
  if (isFrozen(from) || isFrozen(to)) fail('AccountFrozen');
  if (u64(from, accountAt.amount) < amount) fail('InsufficientFunds');
  if (!sameKey(mintOf(from), mintOf(to))) fail('MintMismatch');
  if (expected) checkMint(from, expected);
  spendAs(authority, { account: from, amount, keepsAllowance: isItself });
  if (isItself || amount === 0n) {
    checkProgram(source);
    checkProgram(destination);
    return;
  }
  setU64(from, accountAt.amount, u64(from, accountAt.amount) - amount);
  setU64(to, accountAt.amount, u64(to, accountAt.amount) + amount);
};

export const mintOf = (account: Buffer): Buffer => account.subarray(accountAt.mint, accountAt.mint + 32);

export const ownerOf = (account: Buffer): Buffer => account.subarray(accountAt.owner, accountAt.owner + 32);

/** @throws Refusal of another mint than the account's, or of other decimals than the mint's */
export const checkMint = (account: Buffer, expected: ExpectedMint): void => {
  if (!sameKey(expected.mint.key, mintOf(account))) fail('MintMismatch');
  if (mint(expected.mint)[mintAt.decimals] !== expected.decimals) fail('MintDecimalsMismatch');
};

interface Spending {
  readonly account: Buffer;
  readonly amount: bigint;
  readonly keepsAllowance: boolean;
}

/**
 * A delegate spends of its allowance, which ends when nothing of it is left; anybody else has to be the owner.
 * @throws Refusal
 */
const spendAs = (authority: Copy, { account, amount, keepsAllowance }: Spending): void => {
  const delegate = optionalKey(account, accountAt.delegateOption);
  if (!delegate || !sameKey(delegate, authority.key)) {
    checkOwner(ownerOf(account), authority);
    return;
  }
  checkOwner(authority.key, authority);
  const left = u64(account, accountAt.delegatedAmount) - amount;
  if (left < 0n) fail('InsufficientFunds');
  if (keepsAllowance) return;
  setU64(account, accountAt.delegatedAmount, left);
  if (left === 0n) setOptionalKey(account, accountAt.delegateOption, null);
};
