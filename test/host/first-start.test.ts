// The first start on a network where money is real, without a keychain; the lock; the words of the root secret: the refusals
// of an import, and the owner's own copy, which is printed by a command of its own and never by the API.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Keypair } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { shellWord } from '../../renderer/shared/shell.ts';
import { createLog } from '../../server/log.ts';
import { addressOf, deriveKey, rootOfPhrase, seedOfRoot } from '../../server/vault/keys.ts';
import { createVault } from '../../server/vault/vault.ts';
import { useFolders } from '../harness/folders.ts';
import { createClient } from '../harness/http-client.ts';
import { withPreload } from '../harness/programs/programs.ts';
import { deploy, openTreasury } from '../harness/treasury.ts';
import { scriptProgram, typeLine } from '../harness/programs/typed-line.ts';
import {
  addService,
  hasCookie,
  hidesKeychain,
  openInside,
  openMainnet,
  passphrase,
  protectionOf,
  refusedInside,
  refusedStart,
  spawnHost,
  type Mainnet,
  type Spawned,
} from './support.ts';

const main = fileURLToPath(new URL('../../server/main.ts', import.meta.url));
let mainnet: Mainnet;
let running: Spawned | undefined;
const folder = useFolders();
beforeAll(async () => {
  mainnet = await openMainnet();
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
});
afterAll(async () => {
  await mainnet.close();
});

const spawned = async (...args: Parameters<typeof spawnHost>): Promise<Spawned> => {
  running = await spawnHost(...args);
  return running;
};
const withPassphrase = { descriptors: [passphrase] };
const fd3 = ['--passphrase-fd', '3'];

it('a file as the data folder is refused in one line, and so is an empty path', async () => {
  const { code, said, output } = await refusedStart(fileURLToPath(import.meta.url), []);
  expect([code, output]).toEqual([1, '']);
  expect(said).toContain('cannot be used: it is a file');
  expect(said.trimEnd().split('\n')).toHaveLength(1);
  expect(await refusedInside('', [])).toMatch(/^.*--data must be the path of a folder.*$/);
});

describe.skipIf(!hidesKeychain)('the first start on mainnet without a keychain (Linux alone)', () => {
  it('says what is missing when no passphrase can be given, and makes nothing', async () => {
    const dataDir = folder();
    const { code, said, output } = await refusedStart(dataDir, mainnet.args);
    expect([code, output]).toEqual([1, '']);
    expect(said).toMatch(
      /^The first start on this network makes a new vault, and it needs a passphrase: .*\n$/,
    );
    expect(() => protectionOf(dataDir)).toThrow('ENOENT');
  });

  it.each([
    ['--passphrase-fd', fd3, withPassphrase],
    ['TREASURY_PASSPHRASE', [], { env: { ...process.env, TREASURY_PASSPHRASE: passphrase } }],
  ])('makes a vault under the passphrase of %s, and no owner.cookie', async (_from, args, how) => {
    const dataDir = folder();
    const host = await spawned(dataDir, [...mainnet.args, ...args], how);
    expect(protectionOf(dataDir)).toBe('passphrase-file');
    expect([host.ready.cookieFile, hasCookie(dataDir)]).toEqual([null, false]);
    expect(host.stderr()).not.toContain(passphrase);
    const anybody = await host.client.get('/v1/dashboard');
    expect(anybody.status).toBe(401);
  });

  it('of a passphrase that is too short is refused', async () => {
    expect(await refusedInside(folder(), [...mainnet.args, ...fd3], ['short'])).toBe(
      'A passphrase needs at least 8 characters.',
    );
  });
});

describe.skipIf(!hidesKeychain)('a treasury that was restarted without its passphrase', () => {
  it('answers reads, pays nothing, and pays again once the right passphrase unlocks it', async () => {
    const dataDir = folder();
    const payee = Keypair.generate().publicKey.toBase58();
    const inside = await openInside(dataDir, mainnet.args);
    await mainnet.fund(inside.host.owner, 50_000_000n, 1_000_000_000n);
    await mainnet.fund(payee, 0n);
    addService(inside.host, 'shop', payee);
    const { key, wallet } = await deploy(inside.client, 'buyer', { allocate: '5' });
    await inside.close();
    expect(hasCookie(dataDir)).toBe(false);

    const host = await spawned(dataDir, [...mainnet.args, '--owner-cookie']);
    expect(hasCookie(dataDir)).toBe(true);
    const agent = createClient(host.ready.url, host.ready.owner, key);
    const pay = (as = agent) =>
      as.post('/v1/agents/buyer/pay', { service: 'shop', amount: '0.25', currency: 'USDC' });
    const balance = await agent.get('/v1/agents/buyer/balance');
    expect(balance.body).toMatchObject({ balance: '5.00', walletAddress: wallet });
    const dashboard = await host.client.get('/v1/dashboard');
    expect(dashboard.body).toMatchObject({ locked: true, treasury: { amount: '45000000' } });
    const { deposits } = (await host.client.get('/v1/treasury/deposits')).body;
    expect(deposits.filter(({ currency }: { currency: string }) => currency === 'USDC')).toHaveLength(1);

    const refused = await pay();
    expect([refused.status, refused.body['code']]).toEqual([503, 'locked']);
    const allocated = await host.client.post('/v1/agents/buyer/allocate', { amount: '1' });
    expect([allocated.status, allocated.body['code']]).toEqual([503, 'locked']);
    const wrong = await host.client.post('/v1/unlock', { passphrase: `${passphrase}!` });
    expect([wrong.status, wrong.body['code']]).toEqual([403, 'forbidden']);
    expect((await pay()).status).toBe(503);
    const byAgent = await agent.post('/v1/unlock', { passphrase });
    expect(byAgent.status).toBe(403);

    expect((await host.client.post('/v1/unlock', { passphrase })).body).toEqual({ locked: false });
    const paid = await pay();
    expect(paid.status, paid.text).toBe(200);
    expect((await host.client.post('/v1/lock', {})).body).toEqual({ locked: true });
    expect((await pay()).status).toBe(503);
    expect((await agent.get('/v1/agents/buyer/balance')).body['balance']).toBe('4.75');
    expect(host.stderr()).not.toContain(passphrase);
    agent.close();
    await host.stop();
    expect(hasCookie(dataDir)).toBe(false);
  });
});

describe.skipIf(!hidesKeychain)('--import-phrase-fd', () => {
  const words = `${'abandon '.repeat(23)}art`;
  const importing = ['--import-phrase-fd', '3'];
  const phraseAndPass = [...importing, '--passphrase-fd', '4'];

  it('is in the help', async () => {
    const { code, output } = await refusedStart(folder(), ['--help']);
    expect(code).toBe(0);
    expect(output).toContain('--import-phrase-fd N');
  });

  it.each<[string, readonly string[], readonly string[], string]>([
    ['the words themselves as its value', ['--import-phrase-fd', words], [], 'never the secret itself'],
    [
      'a descriptor that is not open',
      ['--import-phrase-fd', '999'],
      [],
      'from the file descriptor 999 (EBADF). npm hands on 0, 1 and 2 alone',
    ],
    ['nothing in the descriptor', importing, [''], 'gave nothing'],
    ['one descriptor for both secrets', [...importing, ...fd3], [words], 'must be different'],
    ['no passphrase for the new vault', importing, [words], 'needs a passphrase'],
    [
      'twelve words',
      phraseAndPass,
      ['abandon '.repeat(11) + 'about', passphrase],
      'has 24 words; this one has 12',
    ],
    ['a word that is none', phraseAndPass, [words.replace('art', 'arrt'), passphrase], 'word 24'],
    ['a wrong checksum', phraseAndPass, [words.replace('art', 'zoo'), passphrase], 'are no recovery phrase'],
  ])('refuses %s', async (_case, args, descriptors, sentence) => {
    const dataDir = folder();
    const said = await refusedInside(dataDir, [...mainnet.args, ...args], descriptors);
    expect(said).toContain(sentence);
    expect(said).not.toContain('\n');
    expect(said).not.toMatch(/abandon|arrt|zoo/);
    expect(() => protectionOf(dataDir)).toThrow('ENOENT');
  });

  it('is refused on the sandbox in the vault’s own words', async () => {
    expect(await refusedInside(folder(), [...mainnet.sandboxArgs, ...importing], [words])).toBe(
      "The sandbox's root can only be generated, never imported.",
    );
  });

  it('is refused where a root secret exists, which stays', async () => {
    const dataDir = folder();
    const before = await openInside(dataDir, mainnet.args);
    await before.close();
    const said = await refusedInside(dataDir, [...mainnet.args, ...phraseAndPass], [words, passphrase]);
    expect(said).toContain('a treasury never changes its root');
    const again = await openInside(dataDir, mainnet.args);
    expect(again.host.owner).toBe(before.host.owner);
    await again.close();
  });
});

/** In a terminal, with a folder that is not there yet. */
const typed = async (args: readonly string[], answers: readonly (readonly [string, string])[]) => {
  const dataDir = join(folder(), 'data');
  const line = [process.execPath, main, '--data', dataDir, '--port', '0', '--log-level', 'silent', ...args];
  const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus' };
  return { dataDir, ...(await typeLine(line.map(shellWord).join(' '), { env, answers })) };
};

describe.skipIf(!hidesKeychain || !existsSync(scriptProgram))(
  'a first start in a terminal (Linux alone)',
  () => {
    const words = `${'abandon '.repeat(23)}art`;

    it('asks for the words until they are a phrase, then for the passphrase, and shows neither, nor what is typed ahead', async () => {
      const { code, shown, dataDir } = await typed(
        [...mainnet.args, '--import-phrase'],
        [
          // The second line is there before the second question is.
          ['The 24 words', `abandon abandon\r${words.replace('art', 'zoo')}\r`],
          ['are no recovery phrase', `${words}\r`],
          ['Choose a passphrase', 'short\r'],
          ['at least 8 characters', `${passphrase}\r`],
          ['The same again', `${passphrase}!\r`],
          ['differ', `${passphrase}\r`],
          ['The same again', `${passphrase}\r`],
          // In words, after the line of JSON.
          ['Ctrl-C stops', '\r'],
          ['Open the dashboard', '\x03'],
        ],
      );
      expect(code).toBe(0);
      expect(shown).not.toMatch(/abandon|zoo|short|correct/);
      expect(shown).toContain('{"ready":true');
      expect(shown).toContain('wallets 1 to 20 were searched, and 0 agents were found');
      expect(shown).not.toContain('Write down its recovery phrase');
      expect(protectionOf(dataDir)).toBe('passphrase-file');
    });

    it('says how to print the words, and leaves nothing behind and no stack when it is ended', async () => {
      const made = await typed(mainnet.args, [
        ['Choose a passphrase', `${passphrase}\r`],
        ['The same again', `${passphrase}\r`],
        ['--export-phrase', '\x03'],
      ]);
      expect(made.shown).toContain('Write down its recovery phrase before you send money');
      const { code, shown, dataDir } = await typed(mainnet.args, [
        ['Choose a passphrase', `${passphrase}\r`],
        ['The same again', '\x03'],
      ]);
      expect(code).toBe(1);
      expect(shown).toContain('The question was not answered. Nothing was made.');
      expect(shown).not.toMatch(/\n\s+at /);
      expect(existsSync(dataDir)).toBe(false);
    });
  },
);

/** The command that prints the words. */
const exportPhrase = (dataDir: string, ...args: string[]) => {
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

it('--export-phrase prints 24 words, and apart from them the network and the address that follows from them', async () => {
  const dataDir = folder();
  const { owner, close } = await openTreasury({ dataDir });
  await close();
  const { stdout, stderr } = exportPhrase(dataDir);
  expect(stdout.trim().split(' ')).toHaveLength(24);
  expect(await addressOfPhrase(stdout.trim())).toBe(owner);
  expect(stderr).toBe(`The recovery phrase of the treasury ${owner} on sandbox:\n`);

  const dir = join(dataDir, 'mainnet');
  const options = { network: 'mainnet', protection: 'passphrase-file', log: createLog('silent') } as const;
  const vault = createVault({ dataDir: dir, ...options });
  await vault.create(passphrase);
  const refused = exportPhrase(dataDir);
  expect([refused.status, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toMatch(/^--network: .* sandbox and mainnet, .* --network mainnet\.\n$/);
  // No chain is asked for the words.
  const named = exportPhrase(dataDir, '--network', 'mainnet');
  expect(await addressOfPhrase(named.stdout.trim())).toBe(vault.treasuryAddress);
  expect(named.stderr).toContain(`${vault.treasuryAddress} on mainnet`);
});

it('--export-phrase says so where there is no vault', () => {
  const { status, stderr } = exportPhrase(folder());
  expect([status, stderr]).toEqual([1, expect.stringContaining('no treasury here')]);
});
