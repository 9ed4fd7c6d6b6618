// The customer's wallet: a new one with play money on a sandbox, or the seller's own from a key file.
import { randomBytes } from 'node:crypto';
import type { Network } from '../lib/solana/receipt.ts';
import { keySignerOf, readKeyFile } from '../paywall/key-file.ts';
import type { TransactionReader } from '../paywall/transaction-reader.ts';
import type { KeySigner } from '../paywall/types.ts';

/** A wallet, and the chain that it pays on. */
export interface Purse {
  wallet: KeySigner;
  reader: TransactionReader;
  network: Network;
  mint: string;
}

/** A key file of the Solana command, which the user named as `option`. @throws Error that names both */
export const readWallet = (file: string, option = '--key'): KeySigner => {
  try {
    return readKeyFile(file);
  } catch (error) {
    throw new Error(`${option}: ${(error as Error).message}`, { cause: error });
  }
};

const playUnits = '1000000000';
const playLamports = 1_000_000_000;

/** A new wallet with play money. @throws AppError `chain_unreachable` when the RPC is no sandbox of Agent Treasury */
export const createPlayWallet = async (reader: TransactionReader): Promise<KeySigner> => {
  const wallet = keySignerOf(randomBytes(32));
  await reader.call('sandbox_fundUsdc', [wallet.address, playUnits]);
  await reader.call('requestAirdrop', [wallet.address, playLamports]);
  return wallet;
};
