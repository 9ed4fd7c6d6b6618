// A treasury belongs to one chain: otherwise another RPC could have a payment of play money signed for real.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTreasury, removeFolder, openSandbox, temporaryFolder } from '../harness/treasury.ts';
import {
  hidesKeychain,
  openInside,
  openMainnet,
  passphrase,
  refusedInside,
  type Mainnet,
} from './support.ts';

const mainnetGenesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const [sandboxDir, mainnetDir] = [temporaryFolder(), temporaryFolder()];
let mainnet: Mainnet;
beforeAll(async () => {
  mainnet = await openMainnet();
  const played = await openTreasury({ dataDir: sandboxDir, args: mainnet.sandboxArgs });
  await played.close();
  if (!hidesKeychain) return;
  const real = await openInside(mainnetDir, mainnet.args);
  await real.close();
});
afterAll(async () => {
  await mainnet.close();
  for (const path of [sandboxDir, mainnetDir]) removeFolder(path);
});

const rootsOf = (dataDir: string): string[] =>
  readdirSync(dataDir)
    .flatMap((network) => readdirSync(join(dataDir, network)).map((file) => join(dataDir, network, file)))
    .filter((file) => file.endsWith('vault-root.json'))
    .map((file) => readFileSync(file, 'utf8'));

/** The start is refused with the reason, after no other request than for the chain's genesis; the root is unchanged. */
const refused = async (dataDir: string, args: readonly string[], sentence: string) => {
  const roots = rootsOf(dataDir);
  const before = mainnet.proxy.seen.length;
  const said = await refusedInside(dataDir, [...args, '--passphrase-fd', '3'], [passphrase]);
  expect(said).toContain(sentence);
  const asked = mainnet.proxy.seen.slice(before).map(({ method }) => method);
  // The fee of a transfer is looked up from the first moment, even on a chain that turns out to be another.
  expect(asked.filter((method) => method !== 'getRecentPrioritizationFees')).toEqual(
    asked.length > 0 ? ['getGenesisHash'] : [],
  );
  expect(rootsOf(dataDir)).toEqual(roots);
};

const network = (name: string, { args }: Pick<Mainnet, 'args'>): string[] => [
  '--network',
  name,
  ...args.slice(2),
];

describe('a start on another chain than the treasury’s own is refused:', () => {
  it('a sandbox on mainnet', () =>
    refused(
      sandboxDir,
      network('sandbox', mainnet),
      `another chain than the one this treasury belongs to (genesis hash ${mainnetGenesis}`,
    ));

  it('a new sandbox on mainnet', async () => {
    const dataDir = temporaryFolder();
    const said = await refusedInside(dataDir, network('sandbox', mainnet));
    expect(said).toContain('This RPC does not serve sandbox');
    removeFolder(dataDir);
  });

  it('a sandbox on another sandbox', async () => {
    const other = await openSandbox();
    await refused(sandboxDir, ['--rpc', other.rpcUrl], 'another chain than the one this treasury belongs to');
    await other.close();
  });

  it.skipIf(!hidesKeychain)('mainnet on a sandbox', () =>
    refused(
      mainnetDir,
      ['--network', 'mainnet', ...mainnet.sandboxArgs],
      `another chain than the one this treasury belongs to`,
    ),
  );

  it.skipIf(!hidesKeychain)('a new mainnet on a sandbox', async () => {
    const dataDir = temporaryFolder();
    const args = ['--network', 'mainnet', ...mainnet.sandboxArgs, '--passphrase-fd', '3'];
    const said = await refusedInside(dataDir, args, [passphrase]);
    expect(said).toContain('This RPC does not serve mainnet');
    removeFolder(dataDir);
  });

  it.skipIf(!hidesKeychain)('a devnet on mainnet', async () => {
    const dataDir = temporaryFolder();
    const args = [...network('devnet', mainnet), '--passphrase-fd', '3'];
    const said = await refusedInside(dataDir, args, [passphrase]);
    expect(said).toContain('This RPC does not serve devnet');
    removeFolder(dataDir);
  });
});
