// The vault of a network, in the network's own folder.
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { createVault, type Vault, type VaultOptions } from './vault.ts';

/**
 * Unlocks nothing yet; makes the folder. The sandbox's key opens only test money: it lies in a file, so that no keychain fills up.
 * @throws as `createVault` does
 */
export const vaultOf = (
  { dataDir, network }: Pick<Config, 'dataDir' | 'network'>,
  log: Log,
  more: Pick<VaultOptions, 'scryptCost'> = {},
): Vault =>
  createVault({
    ...more,
    dataDir: join(dataDir, network),
    network,
    log,
    ...(network === 'sandbox' ? { protection: 'key-file' } : {}),
  });
