// Others are allowed to spend, to mint, to freeze or to close.
import { sameKey } from '../../account.ts';
import { refuse } from '../refusal.ts';
import { fail } from './errors.ts';
import { optionalKeyIn } from './opening.ts';
import {
  accountAt,
  accountBytes,
  checkOwner,
  isFrozen,
  mint,
  mintAt,
  mintBytes,
  optionalKey,
  setOptionalKey,
  setU64,
  tokenAccount,
  type Copy,
} from './state.ts';
import { amountOf, at, checkedAmountOf, need, type TokenInstruction } from './token-call.ts';
import { checkMint, ownerOf, type ExpectedMint } from './transfer.ts';

export const approve: TokenInstruction = (call) => {
  const amount = amountOf(call);
  need(call, 3);
  const [source, delegate, owner] = [at(call, 0), at(call, 1), at(call, 2)];
  allow({ source, delegate, amount }, null, owner);
};

export const approveChecked: TokenInstruction = (call) => {
  const { amount, decimals } = checkedAmountOf(call);
  need(call, 4);
  const [source, delegate, owner] = [at(call, 0), at(call, 2), at(call, 3)];
  allow({ source, delegate, amount }, { mint: at(call, 1), decimals }, owner);
};

interface Allowance {
  readonly source: Copy;
  readonly delegate: Copy;
  readonly amount: bigint;
}

const allow = ({ source, delegate, amount }: Allowance, expected: ExpectedMint | null, owner: Copy): void => {
  const account = tokenAccount(source);
  if (isFrozen(account)) fail('AccountFrozen');
  if (expected) checkMint(account, expected);
  checkOwner(ownerOf(account), owner);
  setOptionalKey(account, accountAt.delegateOption, delegate.key);
  setU64(account, accountAt.delegatedAmount, amount);
};

/** The owner ends an allowance, and so may the delegate. */
export const revoke: TokenInstruction = (call) => {
  const account = tokenAccount(at(call, 0));
  const authority = at(call, 1);
  if (isFrozen(account)) fail('AccountFrozen');
  const delegate = optionalKey(account, accountAt.delegateOption);
  const isDelegate = delegate !== null && sameKey(delegate, authority.key);
  checkOwner(isDelegate ? authority.key : ownerOf(account), authority);
  endAllowance(account);
};

const endAllowance = (account: Buffer): void => {
  setOptionalKey(account, accountAt.delegateOption, null);
  setU64(account, accountAt.delegatedAmount, 0n);
};

/** Kinds of authority, by their codes. */
const kinds = { mintTokens: 0, freezeAccount: 1, accountOwner: 2, closeAccount: 3 } as const;

export const setAuthority: TokenInstruction = (call) => {
  const { data } = call;
  if (data.length < 2) fail('InvalidInstruction');
  const kind = data[0] ?? 0;
  if (kind > kinds.closeAccount) fail('InvalidInstruction');
  const next = optionalKeyIn(data, 1);
  need(call, 2);
  const [copy, authority] = [at(call, 0), at(call, 1)];
  const check = (expected: Uint8Array): void => checkOwner(expected, authority);
  if (copy.data.length === accountBytes) setOfAccount(tokenAccount(copy), kind, next, check);
  else if (copy.data.length === mintBytes) setOfMint(mint(copy), kind, next, check);
  else refuse('InvalidArgument');
};

type Check = (expected: Uint8Array) => void;

const setOfAccount = (account: Buffer, kind: number, next: Buffer | null, check: Check): void => {
  if (isFrozen(account)) fail('AccountFrozen');
  if (kind === kinds.accountOwner) {
    check(ownerOf(account));
    account.set(next ?? fail('InvalidInstruction'), accountAt.owner);
    endAllowance(account);
  } else if (kind === kinds.closeAccount) {
    check(optionalKey(account, accountAt.closeAuthorityOption) ?? ownerOf(account));
    setOptionalKey(account, accountAt.closeAuthorityOption, next);
  } else fail('AuthorityTypeNotSupported');
};

/** An authority that was given up never comes back. */
const setOfMint = (data: Buffer, kind: number, next: Buffer | null, check: Check): void => {
  if (kind === kinds.mintTokens) {
    check(optionalKey(data, mintAt.mintAuthorityOption) ?? fail('FixedSupply'));
    setOptionalKey(data, mintAt.mintAuthorityOption, next);
  } else if (kind === kinds.freezeAccount) {
    check(optionalKey(data, mintAt.freezeAuthorityOption) ?? fail('MintCannotFreeze'));
    setOptionalKey(data, mintAt.freezeAuthorityOption, next);
  } else fail('AuthorityTypeNotSupported');
};
