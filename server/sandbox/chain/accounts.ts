// Accounts at a commitment: the newest from the runtime, older ones from what the ledger kept.
import { decodeAccount, sameKey, type Account } from './account.ts';
import type { ChainClock, Commitment } from './clock.ts';
import type { Ledger } from './ledger.ts';
import type { Runtime } from './runtime.ts';
import { keyText } from '../../lib/solana/wire.ts';

export interface OwnedAccount {
  readonly address: Uint8Array;
  readonly account: Account;
}

export interface Accounts {
  read(address: Uint8Array, commitment: Commitment): Account | null;
  ownedBy(program: Uint8Array, commitment: Commitment): OwnedAccount[];
}

export const createAccounts = (runtime: Runtime, ledger: Ledger, clock: ChainClock): Accounts => {
  const read = (address: Uint8Array, commitment: Commitment): Account | null => {
    if (clock.lagMs[commitment] === 0) return runtime.read(address);
    const before = ledger.accountBefore(address, clock.horizon(commitment));
    if (before === undefined) return runtime.read(address);
    return before && decodeAccount(before);
  };
  return {
    read,
    ownedBy: (program, commitment) => {
      const newest = runtime.programAccounts(program);
      if (clock.lagMs[commitment] === 0) return newest;
      const changed = ledger.changedSince(clock.horizon(commitment));
      const changedTexts = new Set(changed.map(keyText));
      const unchanged = newest.filter(({ address }) => !changedTexts.has(keyText(address)));
      const older = changed.flatMap((address) => {
        const account = read(address, commitment);
        return account && sameKey(account.owner, program) ? [{ address, account }] : [];
      });
      return [...unchanged, ...older];
    },
  };
};
