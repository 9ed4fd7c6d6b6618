// The customer's wallet: a new one with play money on a sandbox, or the seller's own from a key file.
import { createPrivateKey, createPublicKey, randomBytes, sign, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import bs58 from 'bs58';
import { z } from 'zod';
import type { TransactionReader } from '../paywall/transaction-reader.ts';

export interface Wallet {
  address: string;
  sign(message: Uint8Array): Buffer;
}

/** RFC 8410: the fixed head of a 32-byte Ed25519 seed in PKCS #8. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

const walletOf = (seed: Uint8Array): Wallet => {
  const der = Buffer.concat([pkcs8Head, seed]);
  const key: KeyObject = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return { address: bs58.encode(spki.subarray(-32)), sign: (message) => sign(null, message, key) };
};

const keyFileSchema = z.array(z.int().min(0).max(255)).length(64);

/** A key file of the Solana command. @throws Error that names the file */
export const readWallet = (file: string): Wallet => {
  const read = keyFileSchema.safeParse(jsonOf(file));
  if (!read.success)
    throw new Error(`--key: ${file} is no key file of the Solana command: a list of 64 numbers`);
  return walletOf(Uint8Array.from(read.data).subarray(0, 32));
};

const jsonOf = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`--key: ${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
};

const playUnits = '1000000000';
const playLamports = 1_000_000_000;

/** A new wallet with play money. @throws AppError `chain_unreachable` when the RPC is no sandbox of Agent Treasury */
export const createPlayWallet = async (reader: TransactionReader): Promise<Wallet> => {
  const wallet = walletOf(randomBytes(32));
  await reader.call('sandbox_fundUsdc', [wallet.address, playUnits]);
  await reader.call('requestAirdrop', [wallet.address, playLamports]);
  return wallet;
};
