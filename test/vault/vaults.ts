// Vaults in folders of their own, a keychain in memory that can be made to fail, and a log that can be read.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { Network } from '../../server/engine/ports.ts';
import { AppError } from '../../server/errors.ts';
import { createLog } from '../../server/log.ts';
import { refuse } from '../../server/vault/errors.ts';
import type { Keychain } from '../../server/vault/keychain.ts';
import { createVault } from '../../server/vault/vault.ts';
import type { Protection, Vault } from '../../server/vault/vault.ts';
import { PASSPHRASE, PHRASE, scryptCost } from './constants.ts';

export { PASSPHRASE, PHRASE, scryptCost };

export const kinds: { protection: Protection; network: Network; passphrase: string | undefined }[] = [
  { protection: 'keychain', network: 'devnet', passphrase: undefined },
  { protection: 'keychain+seal', network: 'mainnet', passphrase: PASSPHRASE },
  { protection: 'passphrase-file', network: 'mainnet', passphrase: PASSPHRASE },
  { protection: 'key-file', network: 'sandbox', passphrase: undefined },
];

export interface FakeKeychain extends Keychain {
  items: Map<string, string>;
  mode: 'works' | 'denies' | 'denies writing' | 'forgets' | 'garbles once';
}

export const createFakeKeychain = (): FakeKeychain => {
  const items = new Map<string, string>();
  const keychain: FakeKeychain = {
    items,
    mode: 'works',
    read: async (account) => {
      if (keychain.mode === 'denies')
        throw refuse('keychain', "The system's keychain cannot be used: denied");
      return items.get(account);
    },
    write: async (account, text) => {
      if (keychain.mode.startsWith('denies'))
        throw refuse('keychain', "The system's keychain cannot be used: denied");
      if (keychain.mode === 'works') items.set(account, text);
      if (keychain.mode === 'garbles once') {
        items.set(account, text.slice(1));
        keychain.mode = 'works';
      }
    },
  };
  return keychain;
};

export interface Place {
  dataDir: string;
  keychain: FakeKeychain;
  /** Opens the folder again, as the next start of the program would. */
  open(network: Network, protection?: Protection): Vault;
  file(name: string): string;
  files(): string[];
  logged(): string;
}

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'vault-'));
  folders.push(folder);
  chmodSync(folder, 0o700);
  return folder;
};

export const makePlace = (): Place => {
  const folder = makeFolder();
  const dataDir = join(folder, 'data');
  const logPath = join(folder, 'log');
  const keychain = createFakeKeychain();
  const log = createLog('debug', logPath);
  return {
    dataDir,
    keychain,
    open: (network, protection) =>
      createVault({ dataDir, network, log, keychain, scryptCost, ...(protection ? { protection } : {}) }),
    file: (name) => join(dataDir, name),
    files: () => readdirSync(dataDir).toSorted(),
    logged: () => readFileSync(logPath, 'utf8'),
  };
};

/** The reason of the AppError that the work throws; fails when it throws none. */
export const reasonOf = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
  } catch (error) {
    if (error instanceof AppError) return error.details?.['reason'] ?? error.code;
    throw error;
  }
  throw new Error('nothing was thrown');
};
