// The signing keys while the vault is unlocked: derived from one seed in memory, and gone with it.
import { hkdfSync, type KeyObject } from 'node:crypto';
import { refuse } from './errors.ts';
import { addressOf, derivedAddresses, deriveKey, indexOfWallet } from './keys.ts';

export interface OpenKeys {
  isHeld(): boolean;
  /** A count of drops, compared after waiting for a seed: so a lock wins over an earlier unlock. */
  drops(): number;
  hold(seed: Buffer): void;
  /** Overwrites the seed. Copies that OpenSSL or the garbage collector still has are out of our reach. */
  drop(): void;
  /** @throws AppError `locked` when no seed is held; so do `address` and `derive` */
  signingKey(index: number): KeyObject;
  address(index: number): string;
  owns(address: string): Promise<boolean>;
  /** The wallet's index below `end`; null: it is none of these. */
  indexOf(address: string, end: number): Promise<number | null>;
  /** 32 bytes, the same for the same root and info (HKDF-SHA-256, RFC 5869). */
  derive(info: string): Buffer;
}

export const createOpenKeys = (): OpenKeys => {
  let seed: Buffer | undefined;
  let drops = 0;
  const keys = new Map<number, { key: KeyObject; address: string }>();
  /** Derived once, since it takes seconds. */
  let addresses: Promise<ReadonlySet<string>> | undefined;
  let indexOf: ReturnType<typeof indexOfWallet> | undefined;

  const held = (): Buffer => {
    if (!seed) throw refuse('locked', 'The vault is locked.');
    return seed;
  };
  const wallet = (index: number) => {
    const known = keys.get(index);
    if (known) return known;
    const key = deriveKey(held(), index);
    const derived = { key, address: addressOf(key) };
    keys.set(index, derived);
    return derived;
  };

  return {
    isHeld: () => seed !== undefined,
    drops: () => drops,
    hold: (next) => {
      seed?.fill(0);
      seed = next;
    },
    drop: () => {
      drops += 1;
      seed?.fill(0);
      seed = undefined;
      keys.clear();
      addresses = undefined;
      indexOf = undefined;
    },
    signingKey: (index) => wallet(index).key,
    address: (index) => wallet(index).address,
    async owns(address) {
      addresses ??= derivedAddresses(held());
      return (await addresses).has(address);
    },
    async indexOf(address, end) {
      indexOf ??= indexOfWallet(held);
      return indexOf(address, end);
    },
    derive: (info) => Buffer.from(hkdfSync('sha256', held(), 'agent-treasury', info, 32)),
  };
};
