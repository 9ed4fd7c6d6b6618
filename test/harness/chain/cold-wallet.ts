// The owner of a cold treasury: a key that the treasury never sees, with USDC on the sandbox, that signs for real.
import type { KeyObject } from 'node:crypto';
import {
  createApproveCheckedInstruction,
  createCloseAccountInstruction,
  createInitializeAccount3Instruction,
  createRevokeInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  VersionedTransaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import { usdcMints } from '../../../server/contract/treasury/networks.ts';
import { rpcCall, until } from '../treasury.ts';

export interface ColdWallet {
  address: string;
  /** Micro-USDC; resolves once it is confirmed. */
  allow(delegate: string, units: bigint): Promise<void>;
  revoke(): Promise<void>;
  send(to: string, units: bigint): Promise<void>;
  /** Makes a second USDC account for this wallet and pays into it and, in the same transaction, `usual` into the usual one. */
  payAside(wallet: string, units: bigint, usual?: bigint): Promise<void>;
  /** What the issuer of USDC does to its account; false thaws it. */
  freeze(frozen: boolean): Promise<void>;
  /** Closes its USDC account, which has to be empty. */
  close(): Promise<void>;
  /** Signs a transaction that somebody else made, and sends nothing. */
  sign(wire: Uint8Array): Uint8Array;
  /** As the chain shows them. */
  account(): Promise<{ balance: bigint; allowance: bigint; delegate: string | null; isFrozen: boolean }>;
}

const mint = new PublicKey(usdcMints.sandbox);
const decimals = 6;

const accountOf = (owner: PublicKey): PublicKey => getAssociatedTokenAddressSync(mint, owner);

/** Signs one transaction, pays its fee, and resolves once it is confirmed. */
const signerOn = (rpcUrl: string, keys: Keypair) => {
  let made = 0;
  return async (...instructions: TransactionInstruction[]): Promise<void> => {
    const { value } = await rpcCall(rpcUrl, 'getLatestBlockhash');
    const transaction = new Transaction({ feePayer: keys.publicKey, recentBlockhash: value.blockhash });
    // Two equal transactions under one blockhash would be one.
    made += 1;
    const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 100_000 + made });
    transaction.add(limit, ...instructions).sign(keys);
    const wire = transaction.serialize().toString('base64');
    const signature = await rpcCall(rpcUrl, 'sendTransaction', [wire, { encoding: 'base64' }]);
    await until('the transaction', async () => {
      const { value: found } = await rpcCall(rpcUrl, 'getSignatureStatuses', [[signature]]);
      return found[0] !== null && found[0].confirmationStatus !== 'processed';
    });
  };
};

/** @param units of USDC that it holds at first, in micro-USDC */
export const createColdWallet = async (rpcUrl: string, units: bigint): Promise<ColdWallet> => {
  const keys = Keypair.generate();
  const address = keys.publicKey.toBase58();
  const account = accountOf(keys.publicKey);
  const make = signerOn(rpcUrl, keys);
  await rpcCall(rpcUrl, 'requestAirdrop', [address, 1_000_000_000]);
  await rpcCall(rpcUrl, 'sandbox_fundUsdc', [address, units.toString()]);

  const payAside = async (wallet: string, paid: bigint, usual = 0n): Promise<void> => {
    const aside = await PublicKey.createWithSeed(keys.publicKey, wallet.slice(0, 32), TOKEN_PROGRAM_ID);
    const space = 165;
    const made = SystemProgram.createAccountWithSeed({
      fromPubkey: keys.publicKey,
      basePubkey: keys.publicKey,
      newAccountPubkey: aside,
      seed: wallet.slice(0, 32),
      lamports: await rpcCall(rpcUrl, 'getMinimumBalanceForRentExemption', [space]),
      space,
      programId: TOKEN_PROGRAM_ID,
    });
    const pay = (to: PublicKey, amount: bigint) =>
      createTransferCheckedInstruction(account, mint, to, keys.publicKey, amount, decimals);
    await make(
      made,
      createInitializeAccount3Instruction(aside, mint, new PublicKey(wallet)),
      pay(aside, paid),
      ...(usual === 0n ? [] : [pay(accountOf(new PublicKey(wallet)), usual)]),
    );
  };

  return {
    address,
    payAside,
    allow: (delegate, allowed) =>
      make(
        createApproveCheckedInstruction(
          account,
          mint,
          new PublicKey(delegate),
          keys.publicKey,
          allowed,
          decimals,
        ),
      ),
    revoke: () => make(createRevokeInstruction(account, keys.publicKey)),
    send: (to, moved) =>
      make(
        createTransferCheckedInstruction(
          account,
          mint,
          accountOf(new PublicKey(to)),
          keys.publicKey,
          moved,
          decimals,
        ),
      ),
    freeze: (frozen) => rpcCall(rpcUrl, 'sandbox_freezeUsdc', [address, frozen]),
    close: () => make(createCloseAccountInstruction(account, keys.publicKey, keys.publicKey)),
    sign(wire) {
      const transaction = VersionedTransaction.deserialize(wire);
      transaction.sign([keys]);
      return transaction.serialize();
    },
    async account() {
      const options = { encoding: 'jsonParsed' };
      const { value } = await rpcCall(rpcUrl, 'getAccountInfo', [account.toBase58(), options]);
      if (value === null) return { balance: 0n, allowance: 0n, delegate: null, isFrozen: false };
      const { tokenAmount, delegatedAmount, delegate = null, state } = value.data.parsed.info;
      return {
        balance: BigInt(tokenAmount.amount),
        allowance: BigInt(delegatedAmount?.amount ?? 0),
        delegate,
        isFrozen: state === 'frozen',
      };
    },
  };
};

/** A thief has the treasury's key and asks nobody: draws on the USDC of `from`, as its delegate. */
export const drawAsThief = async (
  rpcUrl: string,
  stolen: KeyObject,
  { from, to, units }: { from: string; to: string; units: bigint },
): Promise<void> => {
  const { d = '' } = stolen.export({ format: 'jwk' });
  const keys = Keypair.fromSeed(Buffer.from(d, 'base64url'));
  const [source, target] = [accountOf(new PublicKey(from)), accountOf(new PublicKey(to))];
  await signerOn(
    rpcUrl,
    keys,
  )(createTransferCheckedInstruction(source, mint, target, keys.publicKey, units, decimals));
};
