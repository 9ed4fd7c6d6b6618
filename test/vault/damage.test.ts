// A vault whose files or keychain are damaged, missing or out of reach: nothing is lost, and nothing is made anew.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Vault } from '../../server/vault/vault.ts';
import { kinds, makePlace, PASSPHRASE, PHRASE, reasonOf } from './vaults.ts';
import type { Place } from './vaults.ts';

const OTHER_PHRASE = `${Array.from({ length: 23 }, () => 'abandon').join(' ')} art`;
const inFiles = kinds.filter(({ protection }) => protection.endsWith('file'));
const inKeychain = kinds.filter(({ protection }) => protection.startsWith('keychain'));
const importable = kinds.filter(({ network }) => network !== 'sandbox');

const read = (place: Place, name: string): Buffer => readFileSync(place.file(name));

/** The outcome of a start with damaged content: a reason, or the treasury's address if it opened anyway. */
const start = async (place: Place, kind: (typeof kinds)[number]): Promise<unknown> => {
  let vault: Vault;
  try {
    vault = place.open(kind.network);
    await vault.unlock(kind.passphrase);
  } catch (error) {
    return reasonOf(() => {
      throw error;
    });
  }
  return vault.address(0);
};

describe.each(inFiles)('a file of a vault under $protection', (kind) => {
  const names = ['vault.json', 'vault-root.json', ...(kind.protection === 'key-file' ? ['vault.key'] : [])];

  it.each(names)(
    '%s may be cut or altered anywhere: the start is refused and changes no file',
    async (name) => {
      const place = makePlace();
      const vault = place.open(kind.network, kind.protection);
      await vault.create(kind.passphrase);
      const whole = read(place, name);
      const damages: Buffer[] = [
        Buffer.alloc(0),
        Buffer.from('{}'),
        Buffer.from('null'),
        Buffer.alloc(whole.length),
      ];
      for (let length = 1; length < whole.length - 1; length += 7) damages.push(whole.subarray(0, length));
      for (let index = 0; index < whole.length - 1; index += 3) {
        const flipped = Buffer.from(whole);
        flipped[index] = (flipped[index] ?? 0) ^ (index % 2 === 0 ? 0x20 : 0x01);
        damages.push(flipped);
      }
      let refused = 0;
      for (const damage of damages) {
        writeFileSync(place.file(name), damage);
        const outcome = await start(place, kind);
        // A changed date or order of fields in the marker does no harm; anything else must be noticed.
        if (outcome === vault.address(0)) expect(name).toBe('vault.json');
        else refused += 1;
        if (outcome !== vault.address(0))
          expect(['damaged', 'root_missing', 'other_network']).toContain(outcome);
        expect(read(place, name)).toEqual(damage);
        expect(place.files().filter((file) => /damaged|tmp/.test(file))).toEqual([]);
      }
      expect(refused).toBeGreaterThan(damages.length * 0.8);
      writeFileSync(place.file(name), whole);
      expect(await start(place, kind)).toBe(vault.address(0));
    },
  );

  it('altered with a matching checksum is refused too', async () => {
    const place = makePlace();
    await place.open(kind.network, kind.protection).create(kind.passphrase);
    const { checksum: _, ...record } = JSON.parse(read(place, 'vault-root.json').toString());
    const forgeries = [
      { ...record, treasuryAddress: 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk' },
      { ...record, createdAt: '2020-01-01T00:00:00.000Z' },
      { ...record, vaultId: '0'.repeat(32) },
      { ...record, network: 'devnet' },
      { ...record, seal: { ...record.seal, N: 32 } },
      { ...record, seal: { ...record.seal, salt: Buffer.alloc(32).toString('base64') } },
      { ...record, seal: { ...record.seal, nonce: Buffer.alloc(12).toString('base64') } },
      { ...record, seal: null, root: Buffer.alloc(32, 1).toString('base64') },
      { ...record, seal: null, root: Buffer.alloc(32, 1).toString('base64'), protection: 'keychain' },
      { ...record, protection: 'keychain' },
      { ...record, root: Buffer.alloc(48).toString('base64') },
      { ...record, root: '' },
      { ...record, seal: { ...record.seal, N: 2 ** 30 } },
    ];
    for (const forgery of forgeries) {
      const checksum = createHash('sha256').update(JSON.stringify(forgery)).digest('hex');
      writeFileSync(place.file('vault-root.json'), JSON.stringify({ ...forgery, checksum }));
      expect(['damaged', 'wrong_passphrase']).toContain(await start(place, kind));
    }
  });

  it('that is gone is never replaced by a new root secret', async () => {
    for (const name of names.slice(1)) {
      const place = makePlace();
      await place.open(kind.network, kind.protection).create(kind.passphrase);
      rmSync(place.file(name));
      expect(await start(place, kind)).toBe('root_missing');
      expect(await reasonOf(() => place.open(kind.network).create(kind.passphrase))).toBe('root_held');
      expect(existsSync(place.file(name))).toBe(false);
    }
  });

  it('restores its marker: a crash before the last write of the creation loses nothing', async () => {
    const place = makePlace();
    const vault = place.open(kind.network, kind.protection);
    await vault.create(kind.passphrase);
    const marker = read(place, 'vault.json');
    rmSync(place.file('vault.json'));
    expect(await start(place, kind)).toBe(vault.address(0));
    expect(read(place, 'vault.json')).toEqual(marker);
  });
});

describe.each(inKeychain)('a keychain item under $protection', (kind) => {
  const create = async () => {
    const place = makePlace();
    const vault = place.open(kind.network, kind.protection);
    await vault.create(kind.passphrase);
    return { place, vault };
  };

  it('that is gone is reported, and never replaced by a new root secret', async () => {
    const { place, vault } = await create();
    place.keychain.items.clear();
    const reopened = place.open(kind.network);
    await expect(reopened.unlock(kind.passphrase)).rejects.toThrow(/not in the keychain.*restore it from/);
    expect(await reasonOf(() => reopened.create(kind.passphrase))).toBe('root_held');
    expect(reopened.treasuryAddress).toBe(vault.address(0));
    expect(place.keychain.items.size).toBe(0);
  });

  it('that is damaged or another vault’s is refused and left as it is', async () => {
    const { place } = await create();
    const [[account = '', text = ''] = []] = place.keychain.items;
    const other = await create();
    const [foreign = ''] = other.place.keychain.items.values();
    for (const damage of ['', '{}', text.slice(0, -20), text.replace(/"root":"./, '"root":"_'), foreign]) {
      place.keychain.items.set(account, damage);
      expect(await start(place, kind)).toBe('damaged');
      expect(place.keychain.items.get(account)).toBe(damage);
    }
  });

  it('that is out of reach is reported, and works again when the keychain does', async () => {
    const { place, vault } = await create();
    place.keychain.mode = 'denies';
    expect(await start(place, kind)).toBe('keychain');
    place.keychain.mode = 'works';
    expect(await start(place, kind)).toBe(vault.address(0));
  });

  it.each(['denies', 'denies writing', 'forgets'] as const)(
    'of a keychain that %s is never created: no address is shown',
    async (mode) => {
      const place = makePlace();
      place.keychain.mode = mode;
      const vault = place.open(kind.network, kind.protection);
      expect(await reasonOf(() => vault.create(kind.passphrase))).toBe('keychain');
      expect([vault.state(), vault.treasuryAddress, place.files()]).toEqual(['empty', null, []]);
    },
  );
});

describe.each(kinds)('under $protection', (kind) => {
  it('a root secret is refused unless its address is the marker’s', async () => {
    const [place, other] = [makePlace(), makePlace()];
    const vault = place.open(kind.network, kind.protection);
    await vault.create(kind.passphrase);
    const stranger = other.open(kind.network, kind.protection);
    await stranger.create(kind.passphrase);
    const marker = read(place, 'vault.json').toString();
    const address = stranger.treasuryAddress ?? '';
    writeFileSync(place.file('vault.json'), marker.replace(vault.address(0), address));
    expect(await start(place, kind)).toBe('damaged');
    writeFileSync(place.file('vault.json'), marker);
    expect(await start(place, kind)).toBe(vault.address(0));
  });
});

describe('a change of the passphrase that the keychain does not store', () => {
  it.each(['denies writing', 'forgets', 'garbles once'] as const)(
    'because it %s leaves the old one in force',
    async (mode) => {
      const place = makePlace();
      const vault = place.open('mainnet', 'keychain+seal');
      await vault.create(PASSPHRASE);
      place.keychain.mode = mode;
      await expect(vault.changePassphrase(PASSPHRASE, 'another passphrase')).rejects.toThrow();
      place.keychain.mode = 'works';
      const reopened = place.open('mainnet');
      await reopened.unlock(PASSPHRASE);
      expect(reopened.address(0)).toBe(vault.address(0));
    },
  );
});

describe.each(importable)('a lost root under $protection', (kind) => {
  const lose = async (how: 'gone' | 'damaged') => {
    const place = makePlace();
    const vault = place.open(kind.network, kind.protection);
    await vault.importPhrase(PHRASE, kind.passphrase);
    vault.setSecret('journal head', Buffer.from('kept'));
    if (kind.protection === 'passphrase-file') {
      if (how === 'gone') rmSync(place.file('vault-root.json'));
      else writeFileSync(place.file('vault-root.json'), 'damaged');
    } else if (how === 'gone') place.keychain.items.clear();
    else for (const account of place.keychain.items.keys()) place.keychain.items.set(account, 'damaged');
    return { place, vault };
  };

  it.each(['gone', 'damaged'] as const)(
    'that is %s is restored by its own recovery phrase alone',
    async (how) => {
      const { place, vault } = await lose(how);
      const reopened = place.open(kind.network);
      expect(await reasonOf(() => reopened.importPhrase(OTHER_PHRASE, kind.passphrase))).toBe('other_root');
      await reopened.importPhrase(PHRASE, kind.passphrase);
      expect(reopened.address(5)).toBe(vault.address(5));
      expect(reopened.getSecret('journal head')?.toString()).toBe('kept');
      expect(await start(place, kind)).toBe(vault.address(0));
    },
  );

  it('keeps the damaged file', async () => {
    const { place } = await lose('damaged');
    await place.open(kind.network).importPhrase(PHRASE, kind.passphrase);
    if (kind.protection !== 'passphrase-file') return;
    const aside = place.files().filter((name) => name.endsWith('.damaged'));
    expect(aside.map((name) => read(place, name).toString())).toEqual(['damaged']);
  });
});

it('a root secret whose keychain is out of reach for good can be restored to a file', async () => {
  const place = makePlace();
  const vault = place.open('mainnet', 'keychain');
  await vault.importPhrase(PHRASE);
  const moved = place.open('mainnet', 'passphrase-file');
  expect(await reasonOf(() => moved.importPhrase(PHRASE, PASSPHRASE))).toBe('root_held');
  place.keychain.mode = 'denies';
  await moved.importPhrase(PHRASE, PASSPHRASE);
  const reopened = place.open('mainnet');
  expect(await reopened.protection()).toBe('passphrase-file');
  await reopened.unlock(PASSPHRASE);
  expect(reopened.address(0)).toBe(vault.address(0));
});

describe('the file of secrets', () => {
  it('that is damaged is refused and never overwritten', async () => {
    const place = makePlace();
    const vault = place.open('sandbox', 'key-file');
    await vault.create();
    vault.setSecret('a', Buffer.from('one'));
    const whole = read(place, 'vault-secrets.json').toString();
    for (const damage of ['', '{}', whole.slice(0, -9), whole.replace(/"sealed":"./, '"sealed":"_')]) {
      writeFileSync(place.file('vault-secrets.json'), damage);
      vault.lock();
      await vault.unlock();
      expect(await reasonOf(() => vault.getSecret('a'))).toBe('damaged');
      expect(await reasonOf(() => vault.setSecret('a', Buffer.of(1)))).toBe('damaged');
      expect(read(place, 'vault-secrets.json').toString()).toBe(damage);
    }
  });

  it('without a vault beside it prevents a new root secret, but not an import of the recovery phrase', async () => {
    const place = makePlace();
    const vault = place.open('devnet', 'keychain');
    await vault.importPhrase(PHRASE);
    vault.setSecret('a', Buffer.from('one'));
    rmSync(place.file('vault.json'));
    const reopened = place.open('devnet', 'keychain');
    expect(await reasonOf(() => reopened.create())).toBe('root_held');
    await reopened.importPhrase(PHRASE);
    expect(reopened.getSecret('a')?.toString()).toBe('one');
  });
});
