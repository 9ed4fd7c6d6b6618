import { mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { PublicKey } from '@solana/web3.js';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { HDKey } from 'micro-key-producer/slip10.js';
import { describe, expect, it } from 'vitest';
import { isOnCurve, tokenAccountOf } from '../../server/lib/solana/derived-address.ts';
import {
  addressOf,
  derivedAddresses,
  deriveKey,
  nodeAt,
  phraseOfRoot,
  privateKeyOfSeed,
  rootOfPhrase,
  seedOfRoot,
} from '../../server/vault/keys.ts';
import { stranger, USDC_MINT } from './transfers.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const repeat = (word: string, times: number): string => Array.from({ length: times }, () => word).join(' ');

// https://github.com/trezor/python-mnemonic/blob/master/vectors.json, the vectors of 24 words
const bip39Vectors = [
  ['00'.repeat(32), `${repeat('abandon', 23)} art`],
  [
    '7f'.repeat(32),
    'legal winner thank year wave sausage worth useful legal winner thank year wave sausage worth useful legal winner thank year wave sausage worth title',
  ],
  [
    '80'.repeat(32),
    'letter advice cage absurd amount doctor acoustic avoid letter advice cage absurd amount doctor acoustic avoid letter advice cage absurd amount doctor acoustic bless',
  ],
  ['ff'.repeat(32), `${repeat('zoo', 23)} vote`],
  [
    'f585c11aec520db57dd353c69554b21a89b20fb0650966fa0a9d6f74fd989d8f',
    'void come effort suffer camp survey warrior heavy shoot primary clutch crush open amazing screen patrol group space point ten exist slush involve unfold',
  ],
] as const;

// https://github.com/satoshilabs/slips/blob/master/slip-0010.md, "Test vector 1 for ed25519"
const slip10Vectors = [
  ['m', '2b4be7f19ee27bbf30c667b642d5f4aa69fd169872f8fc3059c08ebae2eb19e7'],
  ["m/0'", '68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a3'],
  ["m/0'/1'", 'b1d0bad404bf35da785a64ca1ac54b2617211d2777696fbffaf208f746ae84f2'],
  ["m/0'/1'/2'", '92a5b23c0b8a99e37d07df3fb9966917f5d06e02ddbd909c7e184371463e9fc9'],
  ["m/0'/1'/2'/2'", '30d1dc7e5fc04c31219ab25a27ae00b50f6fd66622f6e9c913253d6511d1e662'],
  ["m/0'/1'/2'/2'/1000000000'", '8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e8793'],
] as const;

// Published by other wallets for m/44'/501'/0'/0'
const solanaVectors = [
  ["Trezor's", repeat('all', 12), '14CCvQzQzHCVgZM3j9soPnXuJXh1RmCfwLVUcdfbZVBS'],
  ["Phantom's", `${repeat('abandon', 11)} about`, 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'],
  ['24 words', `${repeat('abandon', 23)} art`, '3Cy3YNTFywCmxoxt8n7UH6hg6dLo5uACowX3CFceaSnx'],
] as const;

describe('a recovery phrase', () => {
  it.each(bip39Vectors)('of the root %s is as BIP-39 says', (root, phrase) => {
    expect(phraseOfRoot(Buffer.from(root, 'hex'))).toBe(phrase);
    expect(hex(rootOfPhrase(phrase))).toBe(root);
  });

  it('gives the seed that BIP-39 says', async () => {
    const root = rootOfPhrase(`${repeat('abandon', 23)} art`);
    expect(hex(await seedOfRoot(root))).toBe(
      '408b285c123836004f4b8842c89324c1f01382450c0d439af345ba7fc49acf705489c6fc77dbd4e3dc1dd8cc6bc9f043db8ada1e243c4a0eafb290d399480840',
    );
  });

  it('is read in any case and spacing', () => {
    expect(hex(rootOfPhrase(`\n ABANDON ${repeat('abandon  ', 22)}\tart `))).toBe('00'.repeat(32));
  });

  it('is refused with the position of an unknown word, never with its text', () => {
    const words = `${repeat('abandon', 23)} art`.split(' ');
    words[4] = 'hunter2';
    words[20] = 'swordfish';
    const attempt = (): Buffer => rootOfPhrase(words.join(' '));
    expect(attempt).toThrow('word 5, word 21');
    expect(attempt).not.toThrow(/hunter2|swordfish/);
  });

  it('is refused when its checksum is wrong or words are missing', () => {
    expect(() => rootOfPhrase(repeat('abandon', 24))).toThrow('are no recovery phrase');
    expect(() => rootOfPhrase(repeat('abandon', 12))).toThrow('has 24 words; this one has 12');
    expect(() => rootOfPhrase('')).toThrow('24 words');
  });
});

describe('derived keys', () => {
  it.each(slip10Vectors)('at %s are as SLIP-10 says', (path, key) => {
    const seed = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');
    const indices = [...path.matchAll(/\d+/g)].map(Number);
    expect(hex(nodeAt(seed, indices).subarray(0, 32))).toBe(key);
  });

  it.each(solanaVectors)("have %s address at m/44'/501'/0'/0'", async (_name, phrase, address) => {
    const seed = await seedOfRoot(mnemonicToEntropy(phrase, wordlist));
    expect(addressOf(deriveKey(seed, 0))).toBe(address);
  });

  it("of agent N are at m/44'/501'/N'/0', as another implementation finds them", () => {
    const seed = Buffer.alloc(64, 3);
    for (const index of [0, 1, 2, 19, 1_000, 2 ** 31 - 1]) {
      const other = HDKey.fromMasterSeed(seed).derive(`m/44'/501'/${index}'/0'`);
      const expected = privateKeyOfSeed(other.privateKey);
      expect(addressOf(deriveKey(seed, index))).toBe(addressOf(expected));
    }
  });

  it('that other wallets show for the phrase are known as our own, on each of their paths', async () => {
    const seed = Buffer.alloc(64, 4);
    const at = (path: string): string =>
      new PublicKey(HDKey.fromMasterSeed(seed).derive(path).publicKeyRaw).toBase58();
    const own = await derivedAddresses(seed);
    const indices = [0, 1, 999];
    const paths = indices.flatMap((index) => [`/${index}'`, `/${index}'/0'`, `/0'/${index}'`]);
    for (const path of ['', ...paths]) expect([path, own.has(at(`m/44'/501'${path}`))]).toEqual([path, true]);
    // Of all these, 0'/0' is on two paths.
    expect(own.size).toBe(3_000);
  });

  it.each([-1, 0.5, 2 ** 31, Number.NaN])('are refused for the index %s', (index) => {
    expect(() => deriveKey(Buffer.alloc(64), index)).toThrow(RangeError);
  });
});

describe('token accounts', () => {
  it('are derived as spl-token derives them, off the curve', () => {
    for (let index = 0; index < 50; index += 1) {
      const owner = new PublicKey(addressOf(deriveKey(Buffer.alloc(64, index), index)));
      const account = tokenAccountOf(owner.toBytes(), new PublicKey(USDC_MINT).toBytes());
      expect(new PublicKey(account)).toEqual(getAssociatedTokenAddressSync(new PublicKey(USDC_MINT), owner));
      expect(isOnCurve(account)).toBe(false);
    }
    expect(isOnCurve(new PublicKey(stranger).toBytes())).toBe(true);
  });
});
