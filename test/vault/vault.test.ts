import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../server/errors.ts';
import { createLog } from '../../server/log.ts';
import { addressOf } from '../../server/vault/keys.ts';
import { createVault } from '../../server/vault/vault.ts';
import { kinds, makePlace, PASSPHRASE, PHRASE, reasonOf, scryptCost } from './vaults.ts';

const mode = (path: string): number => statSync(path).mode & 0o777;
const readText = (path: string): string => readFileSync(path, 'utf8');

describe.each(kinds)('a vault under $protection', ({ protection, network, passphrase }) => {
  it('is empty, unlocked once created, locked at the next start, and the same again once unlocked', async () => {
    const place = makePlace();
    const first = place.open(network, protection);
    expect([first.state(), first.treasuryAddress]).toEqual(['empty', null]);
    await first.create(passphrase);
    expect(first.state()).toBe('unlocked');
    expect(await first.protection()).toBe(protection);
    expect(first.treasuryAddress).toBe(first.address(0));

    const second = place.open(network);
    expect([second.state(), second.treasuryAddress]).toEqual(['locked', first.address(0)]);
    await second.unlock(passphrase);
    expect(second.state()).toBe('unlocked');
    for (const index of [0, 1, 2, 77]) expect(second.address(index)).toBe(first.address(index));
    expect(new Set([0, 1, 2, 77].map((index) => second.address(index))).size).toBe(4);
    expect(addressOf(second.signingKey(2))).toBe(second.address(2));
  });

  it('reveals and signs nothing while it is locked', async () => {
    const vault = makePlace().open(network, protection);
    const uses = [
      () => vault.address(0),
      () => vault.signingKey(1),
      () => vault.macKey('journal'),
      () => vault.getSecret('a'),
      () => vault.setSecret('a', Buffer.of(1)),
    ];
    for (const use of uses) expect(await reasonOf(use)).toBe('locked');
    await vault.create(passphrase);
    for (const use of uses) use();
    vault.lock();
    expect(vault.state()).toBe('locked');
    for (const use of uses) expect(await reasonOf(use)).toBe('locked');
    expect(vault.treasuryAddress).not.toBeNull();
    await vault.unlock(passphrase);
    for (const use of uses) use();
  });

  it('finds its wallets by their addresses, also once it was unlocked again, and none after a lock', async () => {
    const vault = makePlace().open(network, protection);
    await vault.create(passphrase);
    const [two, four] = [vault.address(2), vault.address(4)];
    expect([await vault.indexOf(two, 3), await vault.indexOf(two, 2)]).toEqual([2, null]);
    await vault.unlock(passphrase);
    expect(await vault.indexOf(four, 5)).toBe(4);
    const searching = reasonOf(() => vault.indexOf(PHRASE, 1_000));
    vault.lock();
    expect([await searching, await reasonOf(() => vault.indexOf(two, 3))]).toEqual(['locked', 'locked']);
    await vault.unlock(passphrase);
    expect(await vault.indexOf(two, 3)).toBe(2);
  });

  it('locks even while an unlock is under way', async () => {
    const vault = makePlace().open(network, protection);
    await vault.create(passphrase);
    vault.lock();
    const unlocking = reasonOf(() => vault.unlock(passphrase));
    vault.lock();
    expect(await unlocking).toBe('locked');
    expect(vault.state()).toBe('locked');
  });

  it('shows its recovery phrase of 24 words to anybody who can unlock it, even while locked', async () => {
    const vault = makePlace().open(network, protection);
    await vault.create(passphrase);
    const phrase = await vault.exportPhrase(passphrase);
    expect(phrase.split(' ')).toHaveLength(24);
    vault.lock();
    expect(await vault.exportPhrase(passphrase)).toBe(phrase);
    expect(vault.state()).toBe('locked');
  });

  it('is never created twice, not even at the same moment', async () => {
    const place = makePlace();
    const [one, two] = [place.open(network, protection), place.open(network, protection)];
    const results = await Promise.allSettled([
      one.create(passphrase),
      one.create(passphrase),
      two.create(passphrase),
    ]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const reopened = place.open(network);
    await reopened.unlock(passphrase);
    const winner = one.state() === 'unlocked' ? one : two;
    expect(reopened.address(1)).toBe(winner.address(1));
    expect(await reasonOf(() => reopened.create(passphrase))).toBe('root_held');
  });

  it('keeps secrets and derives keys by purpose, the same at the next start', async () => {
    const place = makePlace();
    const vault = place.open(network, protection);
    await vault.create(passphrase);
    expect(vault.getSecret('journal head')).toBeUndefined();
    vault.setSecret('journal head', Buffer.from('one'));
    vault.setSecret('__proto__', Buffer.from('two'));
    vault.setSecret('journal head', Buffer.from('three'));
    const key = vault.macKey('journal');
    expect(key).toHaveLength(32);
    expect(vault.macKey('link')).not.toEqual(key);

    const again = place.open(network);
    await again.unlock(passphrase);
    expect(again.getSecret('journal head')?.toString()).toBe('three');
    expect(again.getSecret('__proto__')?.toString()).toBe('two');
    expect(again.macKey('journal')).toEqual(key);
  });

  it.skipIf(process.platform === 'win32')('keeps its files to itself (modes: POSIX alone)', async () => {
    const place = makePlace();
    const vault = place.open(network, protection);
    await vault.create(passphrase);
    vault.setSecret('a', Buffer.of(1));
    expect(mode(place.dataDir)).toBe(0o700);
    expect(place.files().length).toBeGreaterThanOrEqual(2);
    for (const name of place.files()) expect([name, mode(place.file(name))]).toEqual([name, 0o600]);
    expect(place.files().join(' ')).not.toContain('tmp');
  });

  it('is refused to another network', async () => {
    const place = makePlace();
    await place.open(network, protection).create(passphrase);
    const other = network === 'mainnet' ? 'devnet' : 'mainnet';
    expect(await reasonOf(() => place.open(other))).toBe('other_network');
  });

  it('never shares a root secret with another folder', async () => {
    const [one, two] = [makePlace(), makePlace()];
    two.keychain = one.keychain;
    const vaults = [one, two].map(({ dataDir, open }) => ({ dataDir, vault: open(network, protection) }));
    for (const { vault } of vaults) await vault.create(passphrase);
    expect(vaults[0]?.vault.address(0)).not.toBe(vaults[1]?.vault.address(0));
  });
});

describe.each(kinds.filter(({ passphrase }) => passphrase))('a passphrase, under $protection', (kind) => {
  const { protection, network } = kind;

  it('is needed, and must be right, for every use of the stored root secret', async () => {
    const place = makePlace();
    const vault = place.open(network, protection);
    await vault.create(PASSPHRASE);
    const phrase = await vault.exportPhrase(PASSPHRASE);
    const before = place.files();
    for (const wrong of ['', 'correct horse batterz', `${PASSPHRASE} `]) {
      expect(await reasonOf(() => vault.unlock(wrong))).toBe('wrong_passphrase');
      expect(await reasonOf(() => vault.exportPhrase(wrong))).toBe('wrong_passphrase');
      expect(await reasonOf(() => vault.changePassphrase(wrong, 'another passphrase'))).toBe(
        'wrong_passphrase',
      );
    }
    expect(await reasonOf(() => vault.unlock())).toBe('passphrase_required');
    expect(await reasonOf(() => vault.exportPhrase())).toBe('passphrase_required');
    expect(place.files()).toEqual(before);
    expect(await vault.exportPhrase(PASSPHRASE)).toBe(phrase);
  });

  it('can be changed: the old one no longer opens anything', async () => {
    const place = makePlace();
    const vault = place.open(network, protection);
    await vault.create(PASSPHRASE);
    const address = vault.address(1);
    expect(await reasonOf(() => vault.changePassphrase(PASSPHRASE, 'short'))).toBe('passphrase_too_short');
    await vault.changePassphrase(PASSPHRASE, 'another passphrase');
    const again = place.open(network);
    expect(await reasonOf(() => again.unlock(PASSPHRASE))).toBe('wrong_passphrase');
    await again.unlock('another passphrase');
    expect(again.address(1)).toBe(address);
  });

  it('is refused when too short or missing at creation, and then nothing is made', async () => {
    const place = makePlace();
    const vault = place.open(network, protection);
    expect(await reasonOf(() => vault.create('1234567'))).toBe('passphrase_too_short');
    expect(await reasonOf(() => vault.create())).toBe('passphrase_required');
    expect(vault.state()).toBe('empty');
    expect(place.files()).toEqual([]);
    expect(place.keychain.items.size).toBe(0);
  });

  it('is the same however its accents are composed', async () => {
    const place = makePlace();
    await place.open(network, protection).create('Zürich Café'.normalize('NFD'));
    const vault = place.open(network);
    await vault.unlock('Zürich Café'.normalize('NFC'));
    expect(vault.state()).toBe('unlocked');
  });
});

describe.each(kinds.filter(({ passphrase }) => !passphrase))(
  'without a passphrase, under $protection',
  (kind) => {
    it('one is refused rather than accepted', async () => {
      const vault = makePlace().open(kind.network, kind.protection);
      expect(await reasonOf(() => vault.create(PASSPHRASE))).toBe('no_passphrase');
      await vault.create();
      expect(await reasonOf(() => vault.unlock(PASSPHRASE))).toBe('no_passphrase');
      expect(await reasonOf(() => vault.exportPhrase(PASSPHRASE))).toBe('no_passphrase');
      expect(await reasonOf(() => vault.changePassphrase(PASSPHRASE, PASSPHRASE))).toBe('no_passphrase');
    });
  },
);

describe('the seal on the keychain', () => {
  it('can be added and removed', async () => {
    const place = makePlace();
    const vault = place.open('mainnet', 'keychain');
    await vault.create();
    const address = vault.address(0);
    expect(await reasonOf(() => vault.addSeal('short'))).toBe('passphrase_too_short');
    await vault.addSeal(PASSPHRASE);
    expect(await vault.protection()).toBe('keychain+seal');
    // The most that the Credential Manager of Windows takes.
    for (const text of place.keychain.items.values()) expect(Buffer.byteLength(text)).toBeLessThan(2_560);

    const sealed = place.open('mainnet');
    expect(await reasonOf(() => sealed.unlock())).toBe('passphrase_required');
    expect(await reasonOf(() => sealed.removeSeal('wrong passphrase'))).toBe('wrong_passphrase');
    await sealed.removeSeal(PASSPHRASE);
    expect(await sealed.protection()).toBe('keychain');

    const bare = place.open('mainnet');
    await bare.unlock();
    expect(bare.address(0)).toBe(address);
    expect(place.keychain.items.size).toBe(1);
  });

  it('is for the keychain alone', async () => {
    const inFile = makePlace().open('devnet', 'passphrase-file');
    await inFile.create(PASSPHRASE);
    expect(await reasonOf(() => inFile.removeSeal(PASSPHRASE))).toBe('seal');
    const underKey = makePlace().open('sandbox', 'key-file');
    await underKey.create();
    expect(await reasonOf(() => underKey.addSeal(PASSPHRASE))).toBe('seal');
  });

  it('is read from the keychain’s item when a crash left the marker outdated', async () => {
    const place = makePlace();
    const vault = place.open('mainnet', 'keychain');
    await vault.create();
    const marker = readText(place.file('vault.json'));
    await vault.addSeal(PASSPHRASE);
    writeFileSync(place.file('vault.json'), marker);

    const after = place.open('mainnet');
    expect(await reasonOf(() => after.unlock())).toBe('passphrase_required');
    await after.unlock(PASSPHRASE);
    expect(await place.open('mainnet').protection()).toBe('keychain+seal');
  });
});

describe('the protection of a new root secret', () => {
  it.each([
    ['mainnet', 'keychain+seal'],
    ['devnet', 'keychain'],
    ['sandbox', 'keychain'],
  ] as const)('on %s is %s where there is a keychain', async (network, protection) => {
    expect(await makePlace().open(network).protection()).toBe(protection);
  });

  it.each([
    ['mainnet', 'passphrase-file'],
    ['devnet', 'passphrase-file'],
    ['sandbox', 'key-file'],
  ] as const)('on %s is %s where there is none, and the log says so', async (network, protection) => {
    const place = makePlace();
    place.keychain.mode = 'denies';
    const vault = place.open(network);
    expect(await vault.protection()).toBe(protection);
    expect(place.logged()).toContain('no keychain can be used');
    await vault.create(network === 'sandbox' ? undefined : PASSPHRASE);
    expect(await vault.protection()).toBe(protection);
    expect(place.logged()).toContain(`"protection":"${protection}"`);
  });

  it.each(['devnet', 'mainnet'] as const)('is never a key file on %s', async (network) => {
    expect(await reasonOf(() => makePlace().open(network, 'key-file'))).toBe('protection');
  });
});

describe('a recovery phrase', () => {
  it.each(kinds.filter(({ network }) => network !== 'sandbox'))(
    'can be imported under $protection and gives the same wallets everywhere',
    async ({ protection, network, passphrase }) => {
      const place = makePlace();
      const vault = place.open(network, protection);
      await vault.importPhrase(PHRASE, passphrase);
      expect(vault.state()).toBe('unlocked');
      expect(await vault.exportPhrase(passphrase)).toBe(PHRASE);
      const other = makePlace().open('devnet', 'passphrase-file');
      await other.importPhrase(PHRASE.toUpperCase(), PASSPHRASE);
      expect(other.address(3)).toBe(vault.address(3));
      expect(await reasonOf(() => vault.importPhrase(PHRASE, passphrase))).toBe('root_held');
    },
  );

  it('is refused on the sandbox, whose root secret can only be generated', async () => {
    const vault = makePlace().open('sandbox', 'key-file');
    expect(await reasonOf(() => vault.importPhrase(PHRASE))).toBe('sandbox_generates');
    expect(vault.state()).toBe('empty');
  });

  it('that is invalid leaves the vault empty, and the error quotes no word of it', async () => {
    const place = makePlace();
    const vault = place.open('mainnet', 'passphrase-file');
    const error = await vault
      .importPhrase(PHRASE.replace('camp', 'hunter2'), PASSPHRASE)
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(AppError);
    expect(String(error)).toContain('word 5');
    for (const word of ['hunter2', ...PHRASE.split(' ').filter((text) => text.length > 5)])
      expect(`${String(error)} ${JSON.stringify(error)} ${place.logged()}`).not.toContain(word);
    expect(place.files()).toEqual([]);
  });
});

it('a vault uses scrypt of 128 MiB unless told otherwise, and stores its parameters', async () => {
  const place = makePlace();
  const { dataDir, keychain } = place;
  const log = createLog('silent');
  await createVault({ dataDir, keychain, log, network: 'mainnet', protection: 'passphrase-file' }).create(
    PASSPHRASE,
  );
  const { seal } = JSON.parse(readText(place.file('vault-root.json')));
  expect([seal.N, seal.r, seal.p]).toEqual([131_072, 8, 1]);
  const cheap = createVault({ dataDir, keychain, log, network: 'mainnet', scryptCost });
  await cheap.unlock(PASSPHRASE);
  expect(cheap.state()).toBe('unlocked');
  expect(existsSync(place.file('vault.key'))).toBe(false);
});
