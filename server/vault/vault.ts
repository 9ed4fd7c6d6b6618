// The signing keys of one network: one root secret, created or imported once, locked and unlocked, never replaced.
import { randomBytes, type KeyObject } from 'node:crypto';
import type { Network } from '../engine/ports.ts';
import type { Log } from '../log.ts';
import { refuse } from './errors.ts';
import { makePrivateFolder } from '../lib/files/owner-only.ts';
import { checkFirstRoot, chooseProtection, rootHeld } from './first-start.ts';
import { createKeychain, type Keychain } from './keychain.ts';
import { phraseOfRoot, ROOT_BYTES, rootOfPhrase } from './keys.ts';
import { createOneAtATime } from './one-at-a-time.ts';
import { createOpenKeys, type OpenKeys } from './open-keys.ts';
import type { Protection } from './records.ts';
import { checkPassphraseFor, createRootStore } from './root-store.ts';
import { strongCost, type ScryptCost } from './seal.ts';
import { createSecrets } from './secrets.ts';
import { createStoredRoot, type RootState, type StoredRoot } from './stored-root.ts';

export type { Protection } from './records.ts';
export { needsPassphrase } from './root-store.ts';

export interface VaultOptions {
  dataDir: string;
  network: Network;
  log: Log;
  /** Where a new root goes. Without it: the keychain (sealed on mainnet), else a file. */
  protection?: Protection;
  keychain?: Keychain;
  /** Of a passphrase that is set. Default: `strongCost`. */
  scryptCost?: ScryptCost;
  /** Unix milliseconds. */
  now?: () => number;
}

/**
 * Refusals are AppErrors; `details.reason` tells them apart. A passphrase is required when `needsPassphrase` says so of
 * the protection, and otherwise refused (`no_passphrase`), so that none is ever accepted without being checked.
 */
export interface Vault {
  readonly network: Network;
  /** Known also while locked; null while empty. */
  readonly treasuryAddress: string | null;
  state(): 'empty' | 'locked' | 'unlocked';
  /** The root's protection, or that of one created now (asks the keychain whether it is there). */
  protection(): Promise<Protection>;
  /** What is found now where the root is kept. */
  rootState(): Promise<RootState>;
  /** Creates a root and unlocks it. @throws `root_held` when one exists or has existed, `passphrase_*`, `keychain` */
  create(passphrase?: string): Promise<void>;
  /**
   * Takes the root from its recovery phrase and unlocks it.
   * @throws `sandbox_generates`; `bad_request` for an invalid phrase; `root_held`; `other_root` when this folder's root
   *   is missing and the phrase is another treasury's
   */
  importPhrase(phrase: string, passphrase?: string): Promise<void>;
  /** Reads and checks the root, even if unlocked. @throws `wrong_passphrase`, `root_missing`, `damaged`, ... */
  unlock(passphrase?: string): Promise<void>;
  /** Drops all keys from memory at once; an unlock under way ends with `locked`. */
  lock(): void;
  /** The 24 words, read anew from where they live. @throws as `unlock` does */
  exportPhrase(passphrase?: string): Promise<string>;
  /** Resolves when it is right. @throws `wrong_passphrase`, or `no_passphrase` when the root has none */
  checkPassphrase(passphrase: string): Promise<void>;
  /** @throws `wrong_passphrase`, `passphrase_too_short`, or `no_passphrase` when the root has none */
  changePassphrase(old: string, next: string): Promise<void>;
  /** Seals a bare keychain item. @throws `seal` when the root is not a bare keychain item */
  addSeal(passphrase: string): Promise<void>;
  /** Leaves the root bare in the keychain. @throws `seal` when it is not sealed there */
  removeSeal(passphrase: string): Promise<void>;
  /** The wallet's address: 0 the treasury, N agent N. This and all below throw `locked` unless unlocked. */
  address(index: number): string;
  /** Whether the root derives the address: the first 1,000 accounts on each path that Solana wallets use. */
  owns(address: string): Promise<boolean>;
  /** The wallet's index where it is below `end`, on the path of `address`; null: it is none of these. */
  indexOf(address: string, end: number): Promise<number | null>;
  /** For the signer alone. */
  signingKey(index: number): KeyObject;
  /** A separate 32-byte key for each purpose, the same again after a restore. */
  macKey(purpose: string): Buffer;
  getSecret(name: string): Buffer | undefined;
  /** On disk when it returns. */
  setSecret(name: string, bytes: Uint8Array): void;
}

/** Opens the vault of a data folder. @throws AppError when the folder is another network's or its marker is damaged */
export const createVault = (options: VaultOptions): Vault => {
  const { dataDir, network, keychain = createKeychain(), now = Date.now } = options;
  const roots = createRootStore(dataDir, keychain, options.scryptCost ?? strongCost);
  const keys = createOpenKeys();
  const secrets = createSecrets(dataDir, () => keys.derive('secrets'));
  const inTurn = createOneAtATime();
  makePrivateFolder(dataDir);
  const stored = createStoredRoot({ ...options, roots, now });
  const parts: Parts = { options, keychain, stored };
  const unlockWith = (work: () => Promise<Buffer>): Promise<void> => holdSeedOf(keys, inTurn, work);

  return {
    network,
    get treasuryAddress() {
      return stored.identity()?.treasuryAddress ?? null;
    },
    state: () => {
      if (!stored.identity()) return 'empty';
      return keys.isHeld() ? 'unlocked' : 'locked';
    },
    protection: async () => stored.identity()?.protection ?? (await chooseProtection(options, keychain)),
    rootState: stored.state,
    create: (passphrase) => unlockWith(() => createRoot(parts, passphrase)),
    importPhrase: (phrase, passphrase) => unlockWith(() => importRoot(parts, phrase, passphrase)),
    unlock: (passphrase) => unlockWith(() => loadSeed(stored, passphrase)),
    lock: () => {
      keys.drop();
      secrets.forget();
    },
    exportPhrase: (passphrase) => inTurn(() => exportPhrase(stored, passphrase)),
    checkPassphrase: (passphrase) =>
      inTurn(async () => {
        (await loadSeed(stored, passphrase)).fill(0);
      }),
    changePassphrase: (old, next) => inTurn(() => changePassphrase(stored, old, next)),
    addSeal: (passphrase) => inTurn(() => addSeal(stored, passphrase)),
    removeSeal: (passphrase) => inTurn(() => removeSeal(stored, passphrase)),
    address: keys.address,
    owns: keys.owns,
    indexOf: keys.indexOf,
    signingKey: keys.signingKey,
    macKey: (purpose) => keys.derive(`mac ${purpose}`),
    getSecret: secrets.get,
    setSecret: secrets.set,
  };
};

interface Parts {
  options: VaultOptions;
  keychain: Keychain;
  stored: StoredRoot;
}

/** Unlocks with the seed that `work` returns, unless a lock comes between the call and its end. */
const holdSeedOf = (
  keys: OpenKeys,
  inTurn: ReturnType<typeof createOneAtATime>,
  work: () => Promise<Buffer>,
): Promise<void> => {
  const drops = keys.drops();
  return inTurn(async () => {
    const seed = await work();
    if (keys.drops() === drops) return keys.hold(seed);
    seed.fill(0);
    throw refuse('locked', 'The vault was locked meanwhile.');
  });
};

/** Makes the folder's first root. Returns its seed. */
const createRoot = async (
  { options, keychain, stored }: Parts,
  passphrase: string | undefined,
): Promise<Buffer> => {
  const identity = stored.identity();
  if (identity) throw rootHeld(identity);
  checkFirstRoot(options.dataDir);
  const protection = await chooseProtection(options, keychain);
  checkPassphraseFor(protection, passphrase);
  return stored.establish(randomBytes(ROOT_BYTES), protection, passphrase);
};

/** Stores a first root, or a known vault's lost one again. Returns its seed. */
const importRoot = async (
  { options, keychain, stored }: Parts,
  phrase: string,
  passphrase: string | undefined,
): Promise<Buffer> => {
  if (options.network === 'sandbox')
    throw refuse('sandbox_generates', "The sandbox's root can only be generated, never imported.");
  const root = rootOfPhrase(phrase);
  const identity = stored.identity();
  const protection =
    options.protection ?? identity?.protection ?? (await chooseProtection(options, keychain));
  checkPassphraseFor(protection, passphrase);
  return identity
    ? stored.restore(root, protection, passphrase)
    : stored.establish(root, protection, passphrase);
};

const loadSeed = async (stored: StoredRoot, passphrase: string | undefined): Promise<Buffer> => {
  const { root, seed } = await stored.load(passphrase);
  root.fill(0);
  return seed;
};

const exportPhrase = async (stored: StoredRoot, passphrase: string | undefined): Promise<string> => {
  const { root, seed } = await stored.load(passphrase);
  const phrase = phraseOfRoot(root);
  root.fill(0);
  seed.fill(0);
  return phrase;
};

const changePassphrase = async (stored: StoredRoot, old: string, next: string): Promise<void> => {
  const { root, protection } = await stored.load(old);
  checkPassphraseFor(protection, next);
  await stored.reseal(root, protection, next);
};

const addSeal = async (stored: StoredRoot, passphrase: string): Promise<void> => {
  const { root, protection } = await stored.load(undefined);
  if (protection !== 'keychain') throw refuse('seal', 'Only a root in the keychain takes a seal.');
  checkPassphraseFor('keychain+seal', passphrase);
  await stored.reseal(root, 'keychain+seal', passphrase);
};

const removeSeal = async (stored: StoredRoot, passphrase: string): Promise<void> => {
  const { root, protection } = await stored.load(passphrase);
  if (protection !== 'keychain+seal') throw refuse('seal', 'The root is not sealed in the keychain.');
  await stored.reseal(root, 'keychain', undefined);
};
