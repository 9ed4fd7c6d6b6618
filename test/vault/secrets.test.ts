// The secrets of a vault are nowhere in the clear, in any common encoding: neither in its files nor in its log. And the code
// that holds signing keys has no access to the network: neither its own files nor any library that they load.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { mnemonicToSeedSync } from '@scure/bip39';
import bs58 from 'bs58';
import { expect, it } from 'vitest';
import { deriveKey, rootOfPhrase } from '../../server/vault/keys.ts';
import { kinds, makeFolder, makePlace } from './vaults.ts';

const writings = (secret: Buffer): string[] => [
  secret.toString('latin1'),
  secret.toString('hex'),
  secret.toString('hex').toUpperCase(),
  secret.toString('base64'),
  secret.toString('base64url'),
  bs58.encode(secret),
  encodeURIComponent(secret.toString('latin1')),
  JSON.stringify([...secret]),
];

/** `file: secret` for each file under the folder that holds a readable secret. */
const findSecrets = (folder: string, secrets: Record<string, Buffer>): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => {
      const content = readFileSync(join(entry.parentPath, entry.name), 'latin1');
      return Object.entries(secrets)
        .filter(([, secret]) => writings(secret).some((writing) => content.includes(writing)))
        .map(([name]) => `${entry.name}: ${name}`);
    });

it.each(kinds)('under $protection no secret is readable in files or log', async (kind) => {
  const { protection, network, passphrase } = kind;
  const place = makePlace();
  const vault = place.open(network, protection);
  await vault.create(passphrase);
  const phrase = await vault.exportPhrase(passphrase);
  const providerKey = Buffer.from('provider-key-canary-6f1d2c');
  vault.setSecret('provider key', providerKey);
  if (passphrase) {
    await vault.unlock('a wrong passphrase').catch(() => undefined);
    await vault.changePassphrase(passphrase, 'second canary passphrase');
  }
  await vault.importPhrase(phrase, passphrase).catch(() => undefined);
  vault.lock();

  const seed = Buffer.from(mnemonicToSeedSync(phrase));
  const secrets: Record<string, Buffer> = {
    phrase: Buffer.from(phrase),
    'half the phrase': Buffer.from(phrase.split(' ').slice(0, 12).join(' ')),
    root: rootOfPhrase(phrase),
    seed,
    'half the seed': seed.subarray(0, 32),
    'treasury key': deriveKey(seed, 0).export({ format: 'der', type: 'pkcs8' }).subarray(-32),
    'provider key': providerKey,
    'name of a secret': Buffer.from('provider key'),
    'second passphrase': Buffer.from('second canary passphrase'),
    ...(passphrase ? { passphrase: Buffer.from(passphrase), wrong: Buffer.from('a wrong passphrase') } : {}),
  };
  expect(findSecrets(join(place.dataDir, '..'), secrets)).toEqual([]);

  const sealedItems = protection === 'keychain' ? [] : [...place.keychain.items.values()];
  const folder = makeFolder();
  for (const [index, text] of sealedItems.entries()) writeFileSync(join(folder, `item ${index}`), text);
  expect(findSecrets(folder, secrets)).toEqual([]);
});

it('the search finds planted secrets', () => {
  const folder = makeFolder();
  mkdirSync(join(folder, 'deep'));
  const secret = rootOfPhrase(`${Array.from({ length: 23 }, () => 'zoo').join(' ')} vote`);
  for (const [index, writing] of writings(secret).entries())
    writeFileSync(join(folder, 'deep', `file ${index}`), `before${writing}after`, 'latin1');
  expect(findSecrets(folder, { secret })).toHaveLength(writings(secret).length);
});

const networkModules =
  /^(node:)?(net|tls|http|https|http2|dgram|dns|dns\/promises|child_process|cluster|inspector)$|undici|\/ws\/|web3\.js|axios|node-fetch/;

const recorder = `
  import { registerHooks } from 'node:module';
  const seen = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      seen.add(resolved.url);
      return resolved;
    },
  });
  await import(process.argv[1]);
  console.log(JSON.stringify([...seen]));
`;

const loadedBy = (file: string): string[] => {
  const url = new URL(`../../${file}`, import.meta.url).href;
  const args = ['--input-type=module', '--eval', recorder, url];
  return JSON.parse(
    execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
  );
};

it.each(['server/vault/signer.ts', 'server/vault/vault.ts'])(
  '%s loads nothing that reaches the network',
  (file) => {
    const loaded = loadedBy(file);
    expect(loaded.some((url) => url.endsWith(file))).toBe(true);
    expect(loaded).toContain('node:crypto');
    expect(loaded.filter((url) => networkModules.test(url))).toEqual([]);
  },
);

it('the check of imports notices a library that does', () => {
  expect(
    loadedBy('test/vault/transfers.ts').filter((url) => networkModules.test(url)).length,
  ).toBeGreaterThan(0);
});
