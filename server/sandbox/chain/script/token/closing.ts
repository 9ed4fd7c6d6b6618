// Token accounts are frozen, thawed and closed.
import bs58 from 'bs58';

import { programs, sameKey } from '../../account.ts';
import { refuse } from '../refusal.ts';
import { fail } from './errors.ts';
import {
  accountAt,
  checkOwner,
  isFrozen,
  mint,
  mintAt,
  optionalKey,
  states,
  tokenAccount,
  u64,
} from './state.ts';
import { at, need, type TokenCall, type TokenInstruction } from './token-call.ts';
import { mintOf, ownerOf } from './transfer.ts';

export const freezeAccount: TokenInstruction = (call) => setFrozen(call, true);
export const thawAccount: TokenInstruction = (call) => setFrozen(call, false);

const setFrozen = (call: TokenCall, frozen: boolean): void => {
  need(call, 3);
  const [copy, mintCopy, authority] = [at(call, 0), at(call, 1), at(call, 2)];
  const account = tokenAccount(copy);
  if (isFrozen(account) === frozen) fail('InvalidState');
  if (!sameKey(mintCopy.key, mintOf(account))) fail('MintMismatch');
  const freezer = optionalKey(mint(mintCopy), mintAt.freezeAuthorityOption) ?? fail('MintCannotFreeze');
  checkOwner(freezer, authority);
  account[accountAt.state] = frozen ? states.frozen : states.initialized;
};

/** All its lamports go to the destination, and the account is the System program's again. */
export const closeAccount: TokenInstruction = (call) => {
  need(call, 3);
  const [source, destination, authority] = [at(call, 0), at(call, 1), at(call, 2)];
  if (source === destination) refuse('InvalidAccountData');
  const account = tokenAccount(source);
  if (u64(account, accountAt.amount) !== 0n) fail('NonNativeHasBalance');
  if (isNobodys(account)) {
    if (!sameKey(destination.key, incinerator)) refuse('InvalidAccountData');
  } else {
    const closer = optionalKey(account, accountAt.closeAuthorityOption) ?? ownerOf(account);
    checkOwner(closer, authority);
  }
  destination.lamports += source.lamports;
  source.lamports = 0n;
  source.owner = programs.system;
  source.data = Buffer.alloc(0);
};

const incinerator = bs58.decode('1nc1nerator11111111111111111111111111111111');

/** Owned by an address that can never sign: anybody may close it. */
const isNobodys = (account: Buffer): boolean =>
  sameKey(ownerOf(account), programs.system) || sameKey(ownerOf(account), incinerator);
