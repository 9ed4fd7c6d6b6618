// A thief with the key of one wallet takes USDC from it past the treasury.
import {
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  getOrCreateAssociatedTokenAccount,
} from '@solana/spl-token';
import { Connection, Keypair, PublicKey, Transaction } from '@solana/web3.js';
import type { KeyObject } from 'node:crypto';
import { usdcMints } from '../../../server/contract/treasury/networks.ts';
import type { Host } from '../../../server/host/options.ts';

const mint = new PublicKey(usdcMints.sandbox);
const seedOf = (key: KeyObject): Uint8Array => key.export({ format: 'der', type: 'pkcs8' }).subarray(-32);

/** Takes so many micro-USDC from each, in one transaction. Returns its signature. @param rpcUrl an honest RPC */
export const steal = async (
  { vault, rpcUrl: own }: Pick<Host, 'vault' | 'rpcUrl'>,
  walletIndex: number | readonly number[],
  units = 1_000_000n,
  rpcUrl = own,
): Promise<string> => {
  const thief = Keypair.generate();
  const connection = new Connection(rpcUrl, 'confirmed');
  await connection.confirmTransaction(await connection.requestAirdrop(thief.publicKey, 1_000_000_000));
  const loot = await getOrCreateAssociatedTokenAccount(connection, thief, mint, thief.publicKey);
  const wallets = [walletIndex].flat().map((index) => Keypair.fromSeed(seedOf(vault.signingKey(index))));
  const theft = new Transaction();
  for (const { publicKey } of wallets) {
    const from = getAssociatedTokenAddressSync(mint, publicKey);
    theft.add(createTransferCheckedInstruction(from, mint, loot.address, publicKey, units, 6));
  }
  const signature = await connection.sendTransaction(theft, [thief, ...wallets]);
  await connection.confirmTransaction(signature);
  return signature;
};
