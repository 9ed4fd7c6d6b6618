// The owner's own copy of the root secret: printed by a command of its own, never by the API.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLog } from '../../server/log.ts';
import { deriveKey, addressOf, rootOfPhrase, seedOfRoot } from '../../server/vault/keys.ts';
import { createVault } from '../../server/vault/vault.ts';
import { useFolders } from '../harness/folders.ts';
import { openTreasury } from '../harness/treasury.ts';
import { withPreload } from '../harness/programs.ts';

const folder = useFolders();
const passphrase = 'correct horse battery';

const run = (dataDir: string, ...args: string[]) => {
  const words = [
    ...withPreload('server/main.ts'),
    '--data',
    dataDir,
    '--export-phrase',
    '--log-level',
    'error',
    ...args,
  ];
  const env = { ...process.env, TREASURY_PASSPHRASE: passphrase };
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', env });
  return { status, stdout, stderr };
};

const addressOfPhrase = async (phrase: string): Promise<string> =>
  addressOf(deriveKey(await seedOfRoot(rootOfPhrase(phrase)), 0));

it('prints 24 words, and apart from them the network and the address that follows from them', async () => {
  const dataDir = folder();
  const { owner, close } = await openTreasury({ dataDir });
  await close();
  const { stdout, stderr } = run(dataDir);
  expect(stdout.trim().split(' ')).toHaveLength(24);
  expect(await addressOfPhrase(stdout.trim())).toBe(owner);
  expect(stderr).toBe(`The recovery phrase of the treasury ${owner} on sandbox:\n`);

  const dir = join(dataDir, 'mainnet');
  const options = { network: 'mainnet', protection: 'passphrase-file', log: createLog('silent') } as const;
  const vault = createVault({ dataDir: dir, ...options });
  await vault.create(passphrase);
  const refused = run(dataDir);
  expect([refused.status, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toMatch(/^--network: .* sandbox and mainnet, .* --network mainnet\.\n$/);
  // No chain is asked for the words.
  const named = run(dataDir, '--network', 'mainnet');
  expect(await addressOfPhrase(named.stdout.trim())).toBe(vault.treasuryAddress);
  expect(named.stderr).toContain(`${vault.treasuryAddress} on mainnet`);
});

it('says so where there is no vault', () => {
  const { status, stderr } = run(folder());
  expect([status, stderr]).toEqual([1, expect.stringContaining('no treasury here')]);
});
