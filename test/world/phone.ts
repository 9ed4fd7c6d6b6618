// The owner's phone: a wallet whose words reach the treasury over the chain alone.
import { createHash } from 'node:crypto';
import { Keypair, PublicKey, Transaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { freezeMemo, mailboxOf, type PhoneWallet } from '../../server/engine/domain/phone.ts';
import { partsOf, wordOf } from '../harness/chain/phone.ts';
import { phoneLimits, treasury } from './keys.ts';
import { blockhashOf } from './true-chain.ts';

const keys = Keypair.fromSeed(createHash('sha256').update('phone').digest());
export const mailbox = mailboxOf(treasury);

/** Registered, and trusted with approvals, before a life begins. */
export const phoneWallet = (begin: number): PhoneWallet => ({
  id: 'phw_pocket',
  name: 'pocket',
  address: keys.publicKey.toBase58(),
  ...phoneLimits,
  registeredAt: begin - 3 * 86_400_000,
  approvesFrom: begin - 2 * 86_400_000,
  removedAt: null,
});

export interface Word {
  signature: string;
  wire: Buffer;
}

/** A word as the owner's screen asks for it. Each differs from those before. @param url of Solana Pay */
export const wordFor = (url: string, height: number): Word => {
  const transaction = new Transaction({
    feePayer: keys.publicKey,
    blockhash: blockhashOf(height),
    lastValidBlockHeight: height + 150,
  }).add(...wordOf(keys.publicKey, partsOf(url)));
  transaction.sign(keys);
  const wire = transaction.serialize();
  return { signature: bs58.encode(wire.subarray(1, 65)), wire };
};

export const freezeWord = (height: number): Word =>
  wordFor(
    `solana:${new PublicKey(treasury).toBase58()}?amount=0.000001&reference=${mailbox}&memo=${encodeURIComponent(freezeMemo)}`,
    height,
  );
