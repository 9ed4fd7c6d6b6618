// Which vault a data folder holds, and whether it may get a root: never a second one, which would orphan funds.
import { existsSync } from 'node:fs';
import { isRefusal, refuse } from './errors.ts';
import { createPrivate, readPrivate } from '../lib/files/durable-files.ts';
import type { Keychain } from './keychain.ts';
import type { Network } from '../engine/ports.ts';
import type { Log } from '../log.ts';
import { parseMarker, parseRoot, printMarker, type Identity, type Protection } from './records.ts';
import { inKeychain, rootFile, type RootStore } from './root-store.ts';
import { secretsFile } from './secrets.ts';

interface Wanted {
  network: Network;
  protection?: Protection;
  log: Log;
}

/**
 * The marker's identity; undefined when the folder holds no vault. A root file without a marker (a crash in the last
 * moment of creation, or a deletion) gets its marker back.
 * @throws AppError: other network, damaged, or a key file outside the sandbox
 */
export const readIdentity = (dataDir: string, markerPath: string, wanted: Wanted): Identity | undefined => {
  const { network, protection, log } = wanted;
  if (protection === 'key-file' && network !== 'sandbox')
    throw refuse('protection', 'A key file protects nothing: it is for the sandbox alone.');
  const marker = readPrivate(markerPath);
  const root = marker === undefined ? readPrivate(rootFile(dataDir)) : undefined;
  if (marker === undefined && root === undefined) return undefined;
  const identity =
    marker === undefined ? parseRoot(root ?? '', rootFile(dataDir)) : parseMarker(marker, markerPath);
  if (identity.network !== network)
    throw refuse('other_network', `${dataDir} holds a treasury of ${identity.network}, not of ${network}.`);
  if (marker === undefined) createPrivate(markerPath, printMarker(identity));
  if (protection && protection !== identity.protection)
    log.warn({ protection: identity.protection }, 'this treasury keeps the protection it was created with');
  return identity;
};

/** The owner's choice, or the best that this machine has. */
export const chooseProtection = async (wanted: Wanted, keychain: Keychain): Promise<Protection> => {
  const { network, protection, log } = wanted;
  if (protection) return protection;
  try {
    await keychain.read(`${network}:probe`);
    return network === 'mainnet' ? 'keychain+seal' : 'keychain';
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : String(error);
    log.info({ why }, 'no keychain can be used, so a new root goes to a file');
    return network === 'sandbox' ? 'key-file' : 'passphrase-file';
  }
};

/** @throws AppError when secrets are here without a marker: their root may still be somewhere, and hold funds */
export const checkFirstRoot = (dataDir: string): void => {
  if (existsSync(secretsFile(dataDir)))
    throw refuse(
      'root_held',
      `${secretsFile(dataDir)} is of a treasury whose vault.json is gone. Put vault.json back, restore from the ` +
        'recovery phrase, or choose another data folder.',
    );
};

/**
 * Makes sure, before its phrase is imported, that a known vault holds no root in its old place or its new one. Returns
 * the places that hold a damaged one.
 * @throws AppError `root_held`, or `keychain` when that cannot be determined
 */
export const checkNotHeld = async (
  roots: RootStore,
  identity: Identity,
  target: Protection,
): Promise<Identity[]> => {
  const places = [{ ...identity, protection: target }];
  if (inKeychain(target) !== inKeychain(identity.protection)) places.push(identity);
  const broken: Identity[] = [];
  for (const place of places) {
    try {
      if (await roots.read(place)) throw rootHeld(identity);
    } catch (error) {
      if (isRefusal(error, 'damaged')) broken.push(place);
      // On a machine that lost its keychain, a root can still move to a file.
      else if (!(isRefusal(error, 'keychain') && place === identity)) throw error;
    }
  }
  return broken;
};

export const rootHeld = ({ treasuryAddress, createdAt }: Identity): Error =>
  refuse(
    'root_held',
    `This folder is the treasury ${treasuryAddress} since ${createdAt}, and a treasury never changes its root. ` +
      'Unlock it; should its root be lost, restore it from its recovery phrase; or choose another data folder.',
  );

export const otherRoot = (known: Identity, phrasesAddress: string): Error =>
  refuse(
    'other_root',
    `This folder is the treasury ${known.treasuryAddress}; the phrase is of ${phrasesAddress}. ` +
      'Use its own phrase, or choose another data folder.',
  );

export const rootMissing = ({ treasuryAddress, protection, network }: Identity): Error =>
  refuse(
    'root_missing',
    `The root of the treasury ${treasuryAddress} is not in ${inKeychain(protection) ? 'the keychain' : 'its file'} now. ` +
      'No new one is made, since funds may lie there. ' +
      (network === 'sandbox'
        ? 'Put it back, or choose another data folder.'
        : 'Put it back, or restore it from the recovery phrase.'),
  );
