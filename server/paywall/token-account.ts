// The one token account that a wallet has for a mint, in base58.
import bs58 from 'bs58';
import { invariant } from '../errors.ts';
import { tokenAccountOf } from '../lib/solana/derived-address.ts';
import { base58Bytes } from '../lib/solana/solana-address.ts';

const bytesOf = (address: string): Buffer => {
  const bytes = base58Bytes(address, 32);
  invariant(bytes !== null, 'an address is 32 bytes in base58');
  return bytes;
};

export const associatedTokenAccount = (mint: string, owner: string): string =>
  bs58.encode(tokenAccountOf(bytesOf(owner), bytesOf(mint)));

/**
 * The accounts for a mint by their owner, of whom the last is remembered: nearly every payment goes to one wallet, and
 * deriving its account costs more than all other checks.
 */
export const tokenAccountsOf = (mint: string): ((owner: string) => string) => {
  let last: { owner: string; account: string } | undefined;
  return (owner) => {
    if (last?.owner !== owner) last = { owner, account: associatedTokenAccount(mint, owner) };
    return last.account;
  };
};
