// The independent chain of test/peers/chain, as network mainnet, and a thief on it who has a copy of some wallet's key.
import type { KeyObject } from 'node:crypto';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { Keypair, PublicKey, Transaction } from '@solana/web3.js';
import { usdcMints } from '../../../server/contract/treasury/networks.ts';
import { startPeer } from '../programs/peers.ts';
import { rpcCall, until } from '../treasury.ts';

const mint = new PublicKey(usdcMints.mainnet);
const accountOf = (owner: PublicKey): PublicKey => getAssociatedTokenAddressSync(mint, owner, true);

export interface Faults {
  /** Cuts all connections. */
  down?: boolean;
  /** The share of requests that fail, from 0 to 1. */
  failing?: number;
}

export interface IndependentChain {
  /** As a treasury reaches it, with its faults. */
  rpcUrl: string;
  /** Calls a method whatever the faults are. */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  call(method: string, ...params: unknown[]): Promise<any>;
  setFaults(faults: Faults): Promise<void>;
  /** Resolves once the money is finalized. */
  give(address: string, money: { lamports?: number; units?: bigint }): Promise<void>;
  /** In micro-USDC, of the wallet's usual account, at `confirmed`. */
  unitsOf(wallet: string): Promise<bigint>;
  lamportsOf(wallet: string): Promise<bigint>;
  end(): Promise<void>;
}

/** @param settings of test/peers/chain/chain.mjs */
export const openIndependentChain = async (
  settings: { confirmMs?: number; finalizeMs?: number } = {},
): Promise<IndependentChain> => {
  const peer = await startPeer('chain', 'chain', settings);
  const { rpcUrl = '', directUrl = '' } = peer.says;
  const call: IndependentChain['call'] = (method, ...params) => rpcCall(directUrl, method, params);
  const confirmed = { commitment: 'confirmed' };
  return {
    rpcUrl,
    call,
    setFaults: async (faults) => void (await call('chain_faults', faults)),
    async give(address, { lamports = 0, units = 0n }) {
      const sent: string[] = [];
      if (lamports > 0) sent.push(await call('requestAirdrop', address, lamports));
      if (units > 0n) sent.push(await call('sandbox_fundUsdc', address, String(units)));
      for (const signature of sent)
        await until('what was given to be final', async () => {
          const { value } = await call('getSignatureStatuses', [signature]);
          return value[0]?.confirmationStatus === 'finalized';
        });
    },
    async unitsOf(wallet) {
      const account = accountOf(new PublicKey(wallet)).toBase58();
      const { value } = await call('getMultipleAccounts', [account], confirmed);
      return value[0] === null ? 0n : Buffer.from(value[0].data[0], 'base64').readBigUInt64LE(64);
    },
    lamportsOf: async (wallet) => BigInt((await call('getBalance', wallet, confirmed)).value),
    end: () => peer.end(),
  };
};

export interface Thief {
  address: string;
  /** Takes micro-USDC with the key of a wallet; returns the transaction's signature, which has landed. */
  take(key: KeyObject, units: bigint): Promise<string>;
}

/** Pays the network's fees by itself. */
export const createThief = async (chain: IndependentChain): Promise<Thief> => {
  const thief = Keypair.generate();
  await chain.give(thief.publicKey.toBase58(), { lamports: 1_000_000_000 });
  return {
    address: thief.publicKey.toBase58(),
    async take(key, units) {
      const { d = '' } = key.export({ format: 'jwk' });
      const victim = Keypair.fromSeed(Buffer.from(d, 'base64url'));
      const purse = accountOf(thief.publicKey);
      const { value } = await chain.call('getLatestBlockhash', { commitment: 'confirmed' });
      const transaction = new Transaction({ feePayer: thief.publicKey, recentBlockhash: value.blockhash });
      transaction
        .add(
          createAssociatedTokenAccountIdempotentInstruction(thief.publicKey, purse, thief.publicKey, mint),
          createTransferCheckedInstruction(
            accountOf(victim.publicKey),
            mint,
            purse,
            victim.publicKey,
            units,
            6,
          ),
        )
        .sign(thief, victim);
      const wire = transaction.serialize().toString('base64');
      return chain.call('sendTransaction', wire, { encoding: 'base64' });
    },
  };
};
