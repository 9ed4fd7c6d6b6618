// An API key in a private file, in place of one in the environment.
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readIdentity } from '../../server/client/identity.ts';
import { useFolders } from '../harness/folders.ts';
import { deploy, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { envOf, openBridge } from './bridge.ts';

const newFolder = useFolders();
let treasury: Treasury;
let agent: TestAgent;
beforeAll(async () => {
  treasury = await openTreasury();
  agent = await deploy(treasury.client, 'scout');
});
afterAll(() => treasury.close());

const keyFile = (mode: number): string => {
  const file = join(newFolder(), 'key');
  writeFileSync(file, `${agent.key}\n`);
  chmodSync(file, mode);
  return file;
};
const envWith = (file: string): Record<string, string> => {
  const { TREASURY_API_KEY: _, ...env } = envOf(agent, treasury);
  return { ...env, TREASURY_API_KEY_FILE: file };
};

it('lets the bridge in', async () => {
  const bridge = await openBridge(envWith(keyFile(0o600)));
  expect((await bridge.call('check_balance')).isError).toBe(false);
  await bridge.close();
});

it.skipIf(process.platform === 'win32').each([0o640, 0o604, 0o620])(
  'that others can open is refused with what to do: mode %i',
  (mode) => {
    const file = keyFile(mode);
    expect(() => readIdentity(envWith(file))).toThrow(`chmod 600 ${file}`);
  },
);

it('that is not there is named', () => {
  const file = join(newFolder(), 'gone');
  expect(() => readIdentity(envWith(file))).toThrow(`TREASURY_API_KEY_FILE: ${file} cannot be read.`);
});
