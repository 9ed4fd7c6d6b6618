// The owner's own copy of the root secret: printed by a command of its own, never by the API.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { deriveKey, addressOf, rootOfPhrase, seedOfRoot } from '../../server/vault/keys.ts';
import { openTreasury, removeFolder, temporaryFolder } from '../harness/treasury.ts';

const dataDir = temporaryFolder();
afterAll(() => removeFolder(dataDir));

const main = fileURLToPath(new URL('../../server/main.ts', import.meta.url));
const run = (folder: string) =>
  promisify(execFile)(process.execPath, [main, '--data', folder, '--export-phrase', '--log-level', 'error']);

it('prints 24 words from which the treasury’s address follows', async () => {
  const treasury = await openTreasury({ dataDir });
  await treasury.close();
  const { stdout } = await run(dataDir);
  expect(stdout.trim().split(' ')).toHaveLength(24);
  const seed = await seedOfRoot(rootOfPhrase(stdout.trim()));
  expect(addressOf(deriveKey(seed, 0))).toBe(treasury.owner);
});

it('says so where there is no vault', async () => {
  const empty = temporaryFolder();
  await expect(run(empty)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no treasury here/),
  });
  removeFolder(empty);
});
