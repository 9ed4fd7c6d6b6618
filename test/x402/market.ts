// A seller and a buyer on a real sandbox: every payment is a transaction made with web3.js.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import {
  Connection,
  Keypair,
  PublicKey,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import type { AddressLookupTableAccount } from '@solana/web3.js';
import bs58 from 'bs58';
import { createLog } from '../../server/log.ts';
import { createSandbox } from '../../server/sandbox/sandbox.ts';
import { paymentMemo } from '../../server/paywall/check-payment.ts';
import { usdcMints } from '../../server/contract/treasury/networks.ts';
import type { UnsignedReceipt } from '../../server/lib/solana/receipt.ts';
import { signBytes } from './keys.ts';
import { freePort } from '../harness/programs/free-port.ts';

export const mint = new PublicKey(usdcMints.sandbox);
export const price = '0.01';
export const priceUnits = 10_000n;

export const tokenAccount = (owner: PublicKey, ofMint = mint) =>
  getAssociatedTokenAddressSync(ofMint, owner, true);

export const memo = (text: string) =>
  new TransactionInstruction({
    programId: new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
    keys: [],
    data: Buffer.from(text, 'utf8'),
  });

export const transfer = (from: PublicKey, to: PublicKey, units: bigint) =>
  createTransferCheckedInstruction(tokenAccount(from), mint, tokenAccount(to), from, units, 6);

export const openAccount = (payer: PublicKey, owner: PublicKey, ofMint = mint) =>
  createAssociatedTokenAccountIdempotentInstruction(payer, tokenAccount(owner, ofMint), owner, ofMint);

export interface Sent {
  feePayer?: Keypair;
  signers?: Keypair[];
  version?: 'legacy' | 'v0';
  lookupTables?: AddressLookupTableAccount[];
  skipPreflight?: boolean;
}

/** A test's changes to a payment; everything else is as an honest buyer does it. */
export interface Purchase extends Sent {
  payer?: Keypair;
  paymentId?: string;
  invoice?: string | undefined;
  units?: bigint;
  instructions?: (payer: PublicKey, memoText: string) => TransactionInstruction[];
}

export type Market = Awaited<ReturnType<typeof createMarket>>;

export const createMarket = async (lags: { confirmMs?: number; finalizeMs?: number } = {}) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'market-'));
  const log = createLog('silent');
  const sandbox = await createSandbox({
    dataDir,
    port: await freePort(),
    slotMs: 400,
    confirmMs: 0,
    finalizeMs: 0,
    log,
    ...lags,
  });
  const connection = new Connection(sandbox.rpcUrl, { commitment: 'processed', wsEndpoint: sandbox.wsUrl });
  const buyer = Keypair.generate();
  const seller = Keypair.generate();
  let payments = 0;

  const rpc = async (method: string, params: unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(sandbox.rpcUrl, { method: 'POST', headers, body });
    const { result, error } = (await answer.json()) as { result?: unknown; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };

  const fund = async (owner: PublicKey, units: bigint, lamports = 0): Promise<void> => {
    await rpc('sandbox_fundUsdc', [owner.toBase58(), units.toString()]);
    if (lamports > 0) await rpc('requestAirdrop', [owner.toBase58(), lamports]);
  };

  /** Sends, and returns the signature; the transaction is processed by then, and may have failed. */
  const send = async (instructions: TransactionInstruction[], sent: Sent = {}): Promise<string> => {
    const feePayer = sent.feePayer ?? buyer;
    const signers = [...new Set([feePayer, ...(sent.signers ?? [])])];
    const { blockhash: recentBlockhash } = await connection.getLatestBlockhash('processed');
    const wire =
      sent.version === 'v0'
        ? signedV0(
            { instructions, payerKey: feePayer.publicKey, recentBlockhash },
            signers,
            sent.lookupTables,
          )
        : signedLegacy(instructions, feePayer.publicKey, recentBlockhash, signers);
    return connection.sendRawTransaction(wire, { skipPreflight: sent.skipPreflight ?? false });
  };

  /** Pays, and returns the receipt that an honest buyer would sign. */
  const buy = async (purchase: Purchase = {}): Promise<UnsignedReceipt> => {
    const { payer = buyer, paymentId = `pay_${++payments}`, invoice, units = priceUnits } = purchase;
    const text = paymentMemo(paymentId, invoice);
    const instructions = purchase.instructions?.(payer.publicKey, text) ?? [
      transfer(payer.publicKey, seller.publicKey, units),
      memo(text),
    ];
    const txSignature = await send(instructions, { signers: [payer], ...purchase });
    const found = (await rpc('getTransaction', [
      txSignature,
      { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 },
    ])) as { blockTime: number } | null;
    return {
      txSignature,
      amount: price,
      currency: 'USDC',
      timestamp: new Date(found ? found.blockTime * 1000 : Date.now()).toISOString(),
      recipient: seller.publicKey.toBase58(),
      paymentId,
      payer: payer.publicKey.toBase58(),
      network: 'sandbox',
      service: 'test',
      ...(invoice === undefined ? {} : { invoice }),
    };
  };

  await fund(buyer.publicKey, 1_000_000_000n, 10_000_000_000);
  await fund(seller.publicKey, 0n, 1_000_000_000);
  return {
    rpcUrl: sandbox.rpcUrl,
    dataDir,
    connection,
    buyer,
    seller,
    rpc,
    fund,
    fundSol: (address: string, lamports = 1_000_000_000) => rpc('requestAirdrop', [address, lamports]),
    send,
    buy,
    close: async () => {
      await sandbox.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

const signedLegacy = (
  instructions: TransactionInstruction[],
  feePayer: PublicKey,
  blockhash: string,
  signers: Keypair[],
): Buffer => {
  const transaction = new Transaction({ feePayer, blockhash, lastValidBlockHeight: 0 }).add(...instructions);
  const message = transaction.serializeMessage();
  for (const signer of signers) transaction.addSignature(signer.publicKey, signBytes(signer, message));
  return transaction.serialize();
};

const signedV0 = (
  parts: ConstructorParameters<typeof TransactionMessage>[0],
  signers: Keypair[],
  lookupTables?: AddressLookupTableAccount[],
): Uint8Array => {
  const message = new TransactionMessage(parts);
  const transaction = new VersionedTransaction(message.compileToV0Message(lookupTables));
  const bytes = transaction.message.serialize();
  for (const signer of signers) transaction.addSignature(signer.publicKey, signBytes(signer, bytes));
  return transaction.serialize();
};

export const unknownSignature = (): string => bs58.encode(Keypair.generate().secretKey);
