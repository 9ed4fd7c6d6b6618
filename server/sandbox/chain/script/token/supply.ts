// Tokens are made.
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
  setU64,
  tokenAccount,
  u64,
} from './state.ts';
import { amountOf, at, need, type TokenInstruction } from './token-call.ts';
import { mintOf } from './transfer.ts';

export const mintTo: TokenInstruction = (call) => {
  const amount = amountOf(call);
  need(call, 3);
  const [mintCopy, destination, authority] = [at(call, 0), at(call, 1), at(call, 2)];
  const account = tokenAccount(destination);
  if (isFrozen(account)) fail('AccountFrozen');
  if (!sameKey(mintCopy.key, mintOf(account))) fail('MintMismatch');
  const data = mint(mintCopy);
  const issuer = optionalKey(data, mintAt.mintAuthorityOption) ?? fail('FixedSupply');
  checkOwner(issuer, authority);
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
