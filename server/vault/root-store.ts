// Where the root secret lives, by protection: an item of the keychain, or a file in the data folder.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { invariant } from '../errors.ts';
import { isRefusal, refuse } from './errors.ts';
import { createPrivate, readPrivate, replacePrivate, setAside } from '../lib/files/durable-files.ts';
import type { Keychain } from './keychain.ts';
import { ROOT_BYTES } from './keys.ts';
import { damaged, parseRoot, printRoot, type Identity, type Protection, type RootRecord } from './records.ts';
import { checkNewPassphrase, keyFileCost, sealRoot, unsealRoot, type ScryptCost } from './seal.ts';

export interface RootStore {
  /** The stored record; undefined when there is none. @throws AppError `locked` when damaged or out of reach */
  read(identity: Identity): Promise<RootRecord | undefined>;
  /** A record's root. @throws AppError for a missing, wrong or needless passphrase, a damaged record or key file */
  open(record: RootRecord, passphrase: string | undefined): Promise<Buffer>;
  /** Stores a vault's first root where `identity.protection` says. @throws AppError `root_held` when one is there */
  create(identity: Identity, root: Buffer, passphrase: string | undefined): Promise<void>;
  /** Stores a root and reads it back; on failure it puts back what was there before. */
  write(identity: Identity, root: Buffer, passphrase: string | undefined): Promise<void>;
  /** Renames a damaged record so that another can be written. */
  setAside(identity: Identity): void;
}

export const rootFile = (dataDir: string): string => join(dataDir, 'vault-root.json');
const keyFile = (dataDir: string): string => join(dataDir, 'vault.key');

export const inKeychain = (protection: Protection): boolean => protection.startsWith('keychain');
export const needsPassphrase = (protection: Protection): boolean =>
  protection === 'keychain+seal' || protection === 'passphrase-file';

/** @throws AppError unless a new passphrase is given exactly when the protection needs one, and is long enough */
export const checkPassphraseFor = (protection: Protection, passphrase: string | undefined): void => {
  if (!needsPassphrase(protection) && passphrase !== undefined) throw needlessPassphrase();
  if (!needsPassphrase(protection)) return;
  if (passphrase === undefined)
    throw refuse('passphrase_required', 'The root is sealed under a passphrase: choose one.');
  checkNewPassphrase(passphrase);
};

const needlessPassphrase = (): Error => refuse('no_passphrase', 'This vault has no passphrase.');

/** A store in a data folder, or in the keychain. `cost` is that of a passphrase's seal. Reads nothing yet. */
export const createRootStore = (dataDir: string, keychain: Keychain, cost: ScryptCost): RootStore => {
  const place: Place = { dataDir, keychain, cost };
  return {
    read: (identity) => read(place, identity),
    open: (record, passphrase) => open(place, record, passphrase),
    create: (identity, root, passphrase) => store(place, { identity, root, passphrase }, undefined),
    write: async (identity, root, passphrase) =>
      store(place, { identity, root, passphrase }, await homeOf(place, identity).read()),
    setAside: ({ protection }) => {
      if (!inKeychain(protection)) setAside(rootFile(dataDir));
    },
  };
};

interface Place {
  dataDir: string;
  keychain: Keychain;
  cost: ScryptCost;
}

/** One place for one record. */
interface Home {
  name: string;
  read(): Promise<string | undefined>;
  /** `before` is what the place is known to hold. */
  write(text: string, before: string | undefined): Promise<void>;
}

interface Held {
  identity: Identity;
  root: Buffer;
  passphrase: string | undefined;
}

const homeOf = ({ dataDir, keychain }: Place, identity: Identity): Home =>
  inKeychain(identity.protection) ? itemHome(keychain, identity) : fileHome(rootFile(dataDir));

const itemHome = (keychain: Keychain, { network, vaultId }: Identity): Home => ({
  name: 'The item in the keychain',
  read: () => keychain.read(`${network}:${vaultId}`),
  write: (text) => keychain.write(`${network}:${vaultId}`, text),
});

const fileHome = (file: string): Home => ({
  name: file,
  read: async () => readPrivate(file),
  write: async (text, before) => {
    if (before !== undefined) return replacePrivate(file, text);
    if (!createPrivate(file, text))
      throw refuse('root_held', `${file} has just been made by another process.`);
  },
});

const read = async (place: Place, identity: Identity): Promise<RootRecord | undefined> => {
  const { name, read: readText } = homeOf(place, identity);
  const text = await readText();
  if (text === undefined) return undefined;
  const record = parseRoot(text, name);
  const same = record.vaultId === identity.vaultId && record.network === identity.network;
  if (!same || inKeychain(record.protection) !== inKeychain(identity.protection)) throw damaged(name);
  return record;
};

const open = async (place: Place, record: RootRecord, passphrase: string | undefined): Promise<Buffer> => {
  const root = await openBytes(place, record, passphrase);
  if (root.length !== ROOT_BYTES) throw damaged(homeOf(place, record).name);
  return root;
};

const openBytes = async (
  place: Place,
  record: RootRecord,
  passphrase: string | undefined,
): Promise<Buffer> => {
  const { name } = homeOf(place, record);
  if (needsPassphrase(record.protection) && passphrase === undefined)
    throw refuse('passphrase_required', 'This vault is sealed: it needs its passphrase.');
  if (!needsPassphrase(record.protection) && passphrase !== undefined) throw needlessPassphrase();
  if ((record.seal === null) !== (record.protection === 'keychain')) throw damaged(name);
  if (!record.seal) return Buffer.from(record.root, 'base64');
  if (passphrase !== undefined) return unsealRoot(record, record.seal, passphrase);
  return unsealRoot(record, record.seal, readKeyFile(place)).catch((error: unknown) => {
    throw isRefusal(error, 'wrong_passphrase') ? damaged(`${keyFile(place.dataDir)} or ${name}`) : error;
  });
};

const readKeyFile = ({ dataDir }: Place): string => {
  const key = readPrivate(keyFile(dataDir))?.trim();
  if (key === undefined)
    throw refuse('root_missing', `${keyFile(dataDir)} is gone, and the root with it. Put the file back.`);
  if (!/^[0-9a-f]{64}$/.test(key)) throw damaged(keyFile(dataDir));
  return key;
};

const makeKeyFile = (place: Place): string => {
  createPrivate(keyFile(place.dataDir), `${randomBytes(32).toString('hex')}\n`);
  return readKeyFile(place);
};

/** When `before` is undefined, a file that appeared since is not replaced. */
const store = async (place: Place, held: Held, before: string | undefined): Promise<void> => {
  const { identity, root, passphrase } = held;
  const { name, write } = homeOf(place, identity);
  const record = await recordOf(place, held);
  try {
    await write(printRoot(record), before);
    const kept = await read(place, identity);
    if (!kept) throw refuse('keychain', `${name} is not there after it was written.`);
    if (!(await open(place, kept, passphrase)).equals(root)) throw damaged(name);
  } catch (error) {
    if (before !== undefined) await write(before, before);
    throw error;
  }
};

const recordOf = async (place: Place, { identity, root, passphrase }: Held): Promise<RootRecord> => {
  if (identity.protection === 'keychain') return { ...identity, seal: null, root: root.toString('base64') };
  if (identity.protection === 'key-file') return sealRoot(root, makeKeyFile(place), identity, keyFileCost);
  invariant(passphrase !== undefined, 'a seal has a passphrase');
  return sealRoot(root, passphrase, identity, place.cost);
};
