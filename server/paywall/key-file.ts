// A key of its own for a program: read from a key file of the Solana command, or made of a seed.
import { createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import bs58 from 'bs58';
import { z } from 'zod';
import type { KeySigner } from './types.ts';

/** RFC 8410: the fixed head of a 32-byte Ed25519 seed in PKCS #8. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

export const keySignerOf = (seed: Uint8Array): KeySigner => {
  const der = Buffer.concat([pkcs8Head, seed]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return { address: bs58.encode(spki.subarray(-32)), sign: (message) => sign(null, message, key) };
};

const keyFileSchema = z.array(z.int().min(0).max(255)).length(64);

/** A key file of the Solana command. @throws Error that names the file */
export const readKeyFile = (file: string): KeySigner => {
  const read = keyFileSchema.safeParse(jsonOf(file));
  if (!read.success) throw new Error(`${file} is not a key file of the Solana command: a list of 64 numbers`);
  return keySignerOf(Uint8Array.from(read.data).subarray(0, 32));
};

/** Undefined for no JSON, whose error would quote the key. */
const jsonOf = (file: string): unknown => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Makes a key, and its file for this user alone. @throws Error when the file exists or cannot be written */
export const makeKeyFile = (file: string): KeySigner => {
  const seed = randomBytes(32);
  const key = keySignerOf(seed);
  const numbers = [...seed, ...bs58.decode(key.address)];
  writeFileSync(file, JSON.stringify(numbers), { mode: 0o600, flag: 'wx' });
  return key;
};
