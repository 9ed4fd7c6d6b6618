// The tests' wallets and receipts, signed with node:crypto as in the vault.
import { createPrivateKey, sign } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { encodeReceipt, receiptMessage, receiptPayload } from '../../server/lib/solana/receipt.ts';
import type { Receipt, UnsignedReceipt } from '../../server/lib/solana/receipt.ts';

const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

export const signBytes = (wallet: Keypair, bytes: Uint8Array): Buffer => {
  const seed = Buffer.from(wallet.secretKey.subarray(0, 32));
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' });
  return sign(null, bytes, key);
};

export const signReceipt = (receipt: UnsignedReceipt, wallet: Keypair): Receipt => ({
  ...receipt,
  signature: signBytes(wallet, receiptMessage(receiptPayload(receipt))).toString('base64'),
});

export const signedHeader = (receipt: UnsignedReceipt, wallet: Keypair): string =>
  encodeReceipt(signReceipt(receipt, wallet));

export const base64Json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

/** A well-formed receipt whose transaction is on no chain. */
export const sampleReceipt = (payer: Keypair): UnsignedReceipt => ({
  txSignature: bs58.encode(Buffer.alloc(64, 7)),
  amount: '0.01',
  currency: 'USDC',
  timestamp: '2026-11-02T10:00:00.000Z',
  recipient: Keypair.generate().publicKey.toBase58(),
  paymentId: 'pay_1',
  payer: payer.publicKey.toBase58(),
  network: 'sandbox',
  service: 'sandbox-weather',
});
