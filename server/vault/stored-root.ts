// The one root of a data folder: its record, wherever that lives, and the marker that says it exists, kept in step.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Network } from '../engine/ports.ts';
import type { Log } from '../log.ts';
import { isRefusal, refuse } from './errors.ts';
import { createPrivate, replacePrivate } from '../lib/files/durable-files.ts';
import { checkNotHeld, otherRoot, readIdentity, rootHeld, rootMissing } from './first-start.ts';
import { addressOf, deriveKey, seedOfRoot } from './keys.ts';
import { damaged, printMarker, type Identity, type Protection } from './records.ts';
import type { RootStore } from './root-store.ts';

interface StoredRootDeps {
  dataDir: string;
  network: Network;
  protection?: Protection;
  log: Log;
  roots: RootStore;
  now: () => number;
}

interface LoadedRoot {
  protection: Protection;
  root: Buffer;
  seed: Buffer;
}

export type RootState = 'there' | 'missing' | 'damaged' | 'out_of_reach';

export interface StoredRoot {
  /** The marker's identity; undefined while the folder holds no vault. */
  identity(): Identity | undefined;
  /** What is found where the root is kept; nothing is opened. */
  state(): Promise<RootState>;
  /** The root, checked against the address in the marker. @throws AppError */
  load(passphrase: string | undefined): Promise<LoadedRoot>;
  /** Stores a new root, overwrites `root`, and returns its seed. */
  establish(root: Buffer, protection: Protection, passphrase: string | undefined): Promise<Buffer>;
  /** Stores a known vault's lost root again. @throws AppError unless it is lost, and this is it */
  restore(root: Buffer, protection: Protection, passphrase: string | undefined): Promise<Buffer>;
  /** Stores the root under another seal and overwrites `root`. */
  reseal(root: Buffer, protection: Protection, passphrase: string | undefined): Promise<void>;
}

export const createStoredRoot = (deps: StoredRootDeps): StoredRoot => {
  const { dataDir, network, log, roots, now } = deps;
  const markerPath = join(dataDir, 'vault.json');
  let identity = readIdentity(dataDir, markerPath, deps);

  const known = (): Identity => {
    if (!identity) throw refuse('no_vault', 'There is no treasury here yet: create one, or import a phrase.');
    return identity;
  };
  const mark = (next: Identity): void => {
    replacePrivate(markerPath, printMarker(next));
    identity = next;
  };

  const reseal: StoredRoot['reseal'] = async (root, protection, passphrase) => {
    const next = { ...known(), protection };
    await roots.write(next, root, passphrase);
    mark(next);
    root.fill(0);
    log.info({ network, protection, treasury: next.treasuryAddress }, 'the root was stored again');
  };

  return {
    identity: () => identity,
    reseal,
    state: () => stateOf(roots, identity),

    load: async (passphrase) => {
      const record = await roots.read(known());
      if (!record) throw rootMissing(known());
      const root = await roots.open(record, passphrase);
      const seed = await seedOfRoot(root);
      if (treasuryOf(seed) !== known().treasuryAddress) throw damaged(`The stored root, or ${markerPath},`);
      // A crash between the two writes of a new seal leaves the marker behind its record.
      if (record.protection !== known().protection) mark({ ...known(), protection: record.protection });
      return { protection: record.protection, root, seed };
    },

    establish: async (root, protection, passphrase) => {
      const seed = await seedOfRoot(root);
      const next: Identity = {
        vaultId: randomBytes(16).toString('hex'),
        network,
        protection,
        treasuryAddress: treasuryOf(seed),
        createdAt: new Date(now()).toISOString(),
      };
      // The marker comes last: no address is shown before its root is safely stored.
      await roots.create(next, root, passphrase);
      if (!createPrivate(markerPath, printMarker(next))) throw rootHeld(next);
      identity = next;
      root.fill(0);
      log.info({ network, protection, treasury: next.treasuryAddress }, 'the root is stored');
      return seed;
    },

    restore: async (root, protection, passphrase) => {
      const seed = await seedOfRoot(root);
      const broken = await checkNotHeld(roots, known(), protection);
      if (treasuryOf(seed) !== known().treasuryAddress) throw otherRoot(known(), treasuryOf(seed));
      for (const place of broken) roots.setAside(place);
      await reseal(root, protection, passphrase);
      return seed;
    },
  };
};

const stateOf = async (roots: RootStore, identity: Identity | undefined): Promise<RootState> => {
  try {
    return identity && (await roots.read(identity)) ? 'there' : 'missing';
  } catch (error) {
    return isRefusal(error, 'damaged') ? 'damaged' : 'out_of_reach';
  }
};

const treasuryOf = (seed: Buffer): string => addressOf(deriveKey(seed, 0));
