// The accounts of the chain, and the time that programs see.
import { sameKey, type Account } from '../account.ts';
import { keyText } from '../../../lib/solana/wire.ts';
import { clockAccount, clockSysvar, genesisAccounts } from './genesis.ts';

export interface World {
  read(address: Uint8Array): Account | null;
  /** An account without lamports does not exist. */
  write(address: Uint8Array, account: Account | null): void;
  ownedBy(program: Uint8Array): { address: Uint8Array; account: Account }[];
  setTime(slot: number, unixSeconds: number): void;
  slot: bigint;
  recentSlots: ReadonlySet<bigint>;
}

export const createWorld = (): World => {
  const accounts = new Map<string, Account>();
  const world: World = {
    slot: 0n,
    recentSlots: new Set(),
    read: (address) => accounts.get(keyText(address)) ?? null,
    write: (address, account) => {
      if (account && account.lamports > 0n) accounts.set(keyText(address), account);
      else accounts.delete(keyText(address));
    },
    ownedBy: (program) =>
      [...accounts].flatMap(([text, account]) =>
        sameKey(account.owner, program) ? [{ address: Buffer.from(text, 'latin1'), account }] : [],
      ),
    setTime: (slot, unixSeconds) => {
      world.slot = BigInt(slot);
      world.write(clockSysvar, clockAccount(slot, unixSeconds));
    },
  };
  for (const [address, account] of genesisAccounts()) world.write(address, account);
  return world;
};
