// A BIP-39 recovery phrase and the Ed25519 keys below it (SLIP-10), as Solana wallets derive them.
import { createHmac, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { entropyToMnemonic, mnemonicToEntropy, mnemonicToSeedWebcrypto } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import bs58 from 'bs58';
import { AppError } from '../errors.ts';

/** 24 words. */
export const ROOT_BYTES = 32;
const PHRASE_WORDS = 24;
const MAX_INDEX = 2 ** 31 - 1;
const HARDENED = 2 ** 31;
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex'); // RFC 8410, before the 32 bytes

/** The recovery phrase of a root secret. */
export const phraseOfRoot = (root: Uint8Array): string => entropyToMnemonic(root, wordlist);

/**
 * The root secret of a phrase of 24 English words; case and spacing do not matter.
 * @throws AppError `bad_request`, naming an unknown word by its position, never by its text
 */
export const rootOfPhrase = (phrase: string): Buffer => {
  const words = phrase.normalize('NFKD').trim().toLowerCase().split(/\s+/);
  if (words.length !== PHRASE_WORDS)
    throw new AppError(
      'bad_request',
      `A recovery phrase has ${PHRASE_WORDS} words; this one has ${words.length}.`,
    );
  const unknown = words.flatMap((word, index) => (wordlist.includes(word) ? [] : [index + 1]));
  if (unknown.length > 0)
    throw new AppError(
      'bad_request',
      `Not in the list of recovery words: ${unknown.map((position) => `word ${position}`).join(', ')}.`,
      { positions: unknown },
    );
  try {
    return Buffer.from(mnemonicToEntropy(words.join(' '), wordlist));
  } catch {
    // The library's own error is dropped on purpose: it might quote the phrase.
    throw new AppError(
      'bad_request',
      'These words are no recovery phrase: one is wrong, or two have changed places.',
    );
  }
};

/** The 64-byte seed of a root secret (BIP-39, no extra password). */
export const seedOfRoot = async (root: Uint8Array): Promise<Buffer> =>
  Buffer.from(await mnemonicToSeedWebcrypto(phraseOfRoot(root)));

/** A node of SLIP-10's tree: the 32 bytes of a private key, and its chain code. */
type TreeNode = Buffer;

const childOf = (node: TreeNode, index: number): TreeNode => {
  const data = Buffer.alloc(37);
  node.copy(data, 1, 0, 32);
  data.writeUInt32BE(HARDENED + index, 33);
  const child = createHmac('sha512', node.subarray(32)).update(data).digest();
  data.fill(0);
  return child;
};

/**
 * The node at a path of hardened indices. The caller clears it; the nodes above it are cleared here.
 * https://github.com/satoshilabs/slips/blob/master/slip-0010.md
 */
export const nodeAt = (seed: Uint8Array, path: readonly number[]): TreeNode => {
  let node: TreeNode = createHmac('sha512', 'ed25519 seed').update(seed).digest();
  for (const index of path) {
    const child = childOf(node, index);
    node.fill(0);
    node = child;
  }
  return node;
};

const addressAt = (node: TreeNode): string => addressOf(privateKeyOfSeed(node.subarray(0, 32)));

/** The key at m/44'/501'/index'/0': 0 is the treasury, N agent N. @throws RangeError for another index */
export const deriveKey = (seed: Uint8Array, index: number): KeyObject => {
  if (!Number.isSafeInteger(index) || index < 0 || index > MAX_INDEX)
    throw new RangeError(`A wallet's index is between 0 and ${MAX_INDEX}`);
  const node = nodeAt(seed, [44, 501, index, 0]);
  const key = privateKeyOfSeed(node.subarray(0, 32));
  node.fill(0);
  return key;
};

/** The accounts that a Solana wallet shows for a phrase are among these. */
const accountsSearched = 1_000;

/** The addresses of the seed's first accounts, on the paths that Solana wallets use. */
export const derivedAddresses = async (seed: Uint8Array): Promise<ReadonlySet<string>> => {
  const coin = nodeAt(seed, [44, 501]);
  const first = childOf(coin, 0);
  const found = new Set([addressAt(coin)]);
  for (let index = 0; index < accountsSearched; index += 1) {
    const account = childOf(coin, index);
    const nodes = [account, childOf(account, 0), childOf(first, index)];
    for (const node of nodes) {
      found.add(addressAt(node));
      node.fill(0);
    }
    // Each takes part of a millisecond: payments go between.
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const node of [coin, first]) node.fill(0);
  return found;
};

/**
 * Finds wallets by their address on the path of `deriveKey`. What was derived is kept, and derived on demand, from the seed
 * that is held then: one that was replaced or dropped is overwritten. Returns the index below `end`, or null.
 */
export const indexOfWallet = (
  seed: () => Uint8Array,
): ((address: string, end: number) => Promise<number | null>) => {
  const known = new Map<string, number>();
  return async (address, end) => {
    while (!known.has(address) && known.size < end) {
      const index = known.size;
      const node = nodeAt(seed(), [44, 501, index, 0]);
      known.set(addressAt(node), index);
      node.fill(0);
      // As above: payments go between.
      await new Promise((resolve) => setImmediate(resolve));
    }
    const found = known.get(address);
    return found === undefined || found >= end ? null : found;
  };
};

/** An Ed25519 key from its 32-byte seed. */
export const privateKeyOfSeed = (seed: Uint8Array): KeyObject => {
  const der = Buffer.concat([PKCS8_ED25519, seed]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  der.fill(0);
  return key;
};

/** The 32 bytes of the public key. */
const publicBytesOf = (key: KeyObject): Buffer =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);

/** The key's Solana address. */
export const addressOf = (key: KeyObject): string => bs58.encode(publicBytesOf(key));
