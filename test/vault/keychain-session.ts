// One step with the machine's real keychain, inside a D-Bus session of its own. Prints one line of JSON.
import { AsyncEntry } from '@napi-rs/keyring';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../server/errors.ts';
import { createLog } from '../../server/log.ts';
import { createVault } from '../../server/vault/vault.ts';
import type { Protection } from '../../server/vault/vault.ts';
import { PASSPHRASE, scryptCost } from './constants.ts';

const [step = '', dataDir = '', protection = 'keychain'] = process.argv.slice(2);
const passphrase = protection === 'keychain+seal' ? PASSPHRASE : undefined;
const open = (chosen?: Protection) =>
  createVault({
    dataDir,
    network: 'mainnet',
    log: createLog('silent'),
    scryptCost,
    ...(chosen ? { protection: chosen } : {}),
  });

const steps: Record<string, () => Promise<unknown>> = {
  create: async () => {
    const vault = open(protection as Protection);
    await vault.create(passphrase);
    vault.setSecret('head', Buffer.from('kept'));
    return { address: vault.address(1), protection: await vault.protection() };
  },
  reopen: async () => {
    const vault = open();
    await vault.unlock(passphrase);
    return { address: vault.address(1), secret: vault.getSecret('head')?.toString() };
  },
  reseal: async () => {
    const vault = open();
    if (passphrase) {
      await vault.removeSeal(passphrase);
      await vault.addSeal(passphrase);
      await vault.changePassphrase(passphrase, passphrase);
    } else {
      await vault.addSeal(PASSPHRASE);
      await vault.removeSeal(PASSPHRASE);
    }
    return { protection: await vault.protection() };
  },
  wipe: async () => {
    const { vaultId } = JSON.parse(readFileSync(join(dataDir, 'vault.json'), 'utf8'));
    const options = { linux: { store: 'secret-service' } } as const;
    return {
      wiped: await new AsyncEntry('agent-treasury', `mainnet:${vaultId}`, options).deleteCredential(),
    };
  },
  choose: async () => ({ protection: await open().protection() }),
};

try {
  process.stdout.write(`${JSON.stringify(await steps[step]?.())}\n`);
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  process.stdout.write(`${JSON.stringify({ reason: error.details?.['reason'], message: error.message })}\n`);
}
