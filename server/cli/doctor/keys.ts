// Where a network's root key is kept, and whether it is there: by the running treasury's word, or by the files alone.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fieldsIn } from '../../client/json-fields.ts';
import type { Reply } from '../../contract/schemas.ts';
import { closingCommand, openTo } from '../../lib/files/owner-only.ts';
import { reachesKeychain, startInSession } from '../../lib/session-bus.ts';
import type { Terminal } from '../terminal.ts';
import type { Check } from './check.ts';

type Place = Pick<Terminal, 'dataDir' | 'io'>;
type Protection = Reply<'about'>['protection'];

export interface Made {
  network: string;
  protection: Protection;
  /** Unix milliseconds. */
  createdAt: number;
}

/** The treasuries of a data folder, by the marker that each leaves. */
export const treasuriesIn = (dataDir: string): Made[] =>
  ['sandbox', 'devnet', 'mainnet'].flatMap((network) => {
    try {
      const { protection, createdAt } = fieldsIn(join(dataDir, network, 'vault.json'));
      return [{ network, protection: protection as Protection, createdAt: Date.parse(String(createdAt)) }];
    } catch {
      return [];
    }
  });

const keychains: Partial<Record<NodeJS.Platform, string>> = {
  win32: 'the Credential Manager',
  darwin: 'the Keychain',
  linux: 'the Secret Service',
};

const placeOf = (protection: Protection, platform: NodeJS.Platform): string => {
  const keychain = keychains[platform] ?? 'the keychain';
  const places: Record<Protection, string> = {
    keychain,
    'keychain+seal': `${keychain}, under a passphrase`,
    'passphrase-file': 'a file under a passphrase',
    'key-file': 'a file with its key beside it (sandbox)',
  };
  return places[protection];
};

const nameOf = (network: string): string => `Keys: ${network}`;
const putBack = 'Put it back from a copy, or restore it from the recovery phrase (--import-phrase).';

/** By the word of the treasury that runs. */
export const keysOfRunning = (
  { about: { network, protection }, root }: Pick<Reply<'diagnostics'>, 'about' | 'root'>,
  platform: NodeJS.Platform,
): Check => {
  const name = nameOf(network);
  const place = placeOf(protection, platform);
  const found = {
    there: place,
    missing: 'gone from',
    damaged: 'damaged in',
    out_of_reach: 'out of reach in',
  };
  if (root === 'there') return { name, state: 'ok', found: place };
  return {
    name,
    state: 'failed',
    found: `${found[root]} ${place}: the next start cannot sign`,
    next: root === 'out_of_reach' ? 'Unlock the keychain: log in to this machine’s desktop.' : putBack,
  };
};

/** Without a treasury that runs: a keychain is asked by the treasury alone, when it starts. */
export const keysByFiles = ({ dataDir, io }: Place, { network, protection }: Made): Check => {
  const name = nameOf(network);
  const found = placeOf(protection, io.platform);
  if (protection.startsWith('keychain')) return keychainCheck({ name, state: 'ok', found }, io);
  const files = ['vault-root.json', ...(protection === 'key-file' ? ['vault.key'] : [])];
  for (const file of files.map((one) => join(dataDir, network, one))) {
    if (statSync(file, { throwIfNoEntry: false }) === undefined)
      return { name, state: 'failed', found: `${file} is gone`, next: putBack };
    const opening = openTo(file, io.platform);
    if (opening !== null)
      return {
        name,
        state: 'failed',
        found: `${file} can be read by ${opening.to}`,
        next: closingCommand(file, io.platform),
      };
  }
  return { name, state: 'ok', found };
};

const keychainCheck = (check: Check, { env, platform }: Place['io']): Check =>
  reachesKeychain(env, platform)
    ? check
    : {
        ...check,
        state: 'failed',
        found: `${check.found}, which this session does not reach`,
        next: startInSession,
      };
