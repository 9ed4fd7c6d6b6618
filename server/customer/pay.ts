// Pays one offer of a seller, in the way of its protocol.
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import bs58 from 'bs58';
import { z } from 'zod';
import { dialectFacts } from '../contract/payments/dialects.ts';
import { computeBudgetProgram } from '../lib/solana/programs.ts';
import { encodeReceipt, receiptMessage, receiptPayload } from '../lib/solana/receipt.ts';
import { encodeMessage, encodeTransaction, type Instruction } from '../lib/solana/wire.ts';
import { formatUsdc } from '../money.ts';
import type { Credential, Offer } from '../engine/ports.ts';
import { paymentMemo } from '../paywall/check-payment.ts';
import { memoOf, transferChecked } from '../paywall/instructions.ts';
import { associatedTokenAccount } from '../paywall/token-account.ts';
import type { RpcTransaction } from '../paywall/transaction-reader.ts';
import type { Protocol } from '../x402/dialects/protocol.ts';
import type { Purse } from './wallet.ts';

const computeBudget = bs58.decode(computeBudgetProgram);
const shownWithinMs = 60_000;
const blockhashSchema = z.object({ value: z.object({ blockhash: z.string() }) });

/** The credential of a payment for the offer. @throws Error when the chain does not take the payment */
export const payFor = async (
  purse: Purse,
  { credential }: Protocol,
  offer: Offer,
  service: string,
): Promise<Credential> => {
  const paymentId = `try_${randomBytes(12).toString('hex')}`;
  const terms = { feePayer: offer.feePayer, terms: offer.terms };
  if (offer.feePayer !== null) {
    const wire = await halfSigned(purse, offer, offer.feePayer);
    return credential(terms, { paymentId, wire, txSignature: null, receipt: null });
  }
  const memo = offer.dialect === 'receipt' ? paymentMemo(paymentId, offer.invoice ?? undefined) : offer.memo;
  const { txSignature, wire, landed } = await sent(purse, offer, memo);
  const receipt =
    offer.dialect === 'receipt' ? receiptOf(purse, offer, { paymentId, txSignature, landed, service }) : null;
  return credential(terms, { paymentId, wire, txSignature, receipt });
};

const transferOf = ({ wallet, mint }: Purse, { payee, amount }: Offer): Instruction =>
  transferChecked({
    source: associatedTokenAccount(mint, wallet.address),
    destination: associatedTokenAccount(mint, payee),
    authority: wallet.address,
    mint,
    amount,
  });

const latestBlockhash = async ({ reader }: Purse): Promise<Uint8Array> => {
  const latest = await reader.call('getLatestBlockhash', [{ commitment: 'confirmed' }]);
  return bs58.decode(blockhashSchema.parse(latest).value.blockhash);
};

/** The facilitator signs first, and sends it. */
const halfSigned = async (purse: Purse, offer: Offer, feePayer: string): Promise<Buffer> => {
  const memo =
    offer.memo ?? (dialectFacts[offer.dialect].hasOwnMemo ? randomBytes(16).toString('hex') : null);
  const instructions = [
    { program: computeBudget, accounts: [], data: limitOf(60_000) },
    // The price keeps two equal purchases apart that have no memo.
    { program: computeBudget, accounts: [], data: priceOf(1 + randomBytes(2).readUInt16LE()) },
    transferOf(purse, offer),
    ...(memo === null ? [] : [memoOf(memo)]),
  ];
  const message = encodeMessage(bs58.decode(feePayer), await latestBlockhash(purse), instructions, 0);
  return encodeTransaction([Buffer.alloc(64), purse.wallet.sign(message)], message);
};

const limitOf = (units: number): Buffer => {
  const data = Buffer.alloc(5, 2);
  data.writeUInt32LE(units, 1);
  return data;
};
const priceOf = (microLamports: number): Buffer => {
  const data = Buffer.alloc(9, 3);
  data.writeBigUInt64LE(BigInt(microLamports), 1);
  return data;
};

interface Sent {
  wire: Buffer;
  txSignature: string;
  landed: RpcTransaction;
}

const sent = async (purse: Purse, offer: Offer, memo: string | null): Promise<Sent> => {
  const { wallet, reader } = purse;
  const message = encodeMessage(bs58.decode(wallet.address), await latestBlockhash(purse), [
    transferOf(purse, offer),
    // Two equal transfers under one blockhash are one transaction: each has a memo of its own.
    memoOf(memo ?? randomBytes(16).toString('hex')),
  ]);
  const signature = wallet.sign(message);
  const [wire, txSignature] = [encodeTransaction([signature], message), bs58.encode(signature)];
  await reader.call('sendTransaction', [
    wire.toString('base64'),
    { encoding: 'base64', preflightCommitment: 'confirmed' },
  ]);
  const deadline = performance.now() + shownWithinMs;
  for (;;) {
    const landed = await reader.read(txSignature, 'confirmed');
    if (landed !== null) return { wire, txSignature, landed };
    if (performance.now() > deadline) throw new Error(`the chain does not show the payment ${txSignature}`);
    await wait(250);
  }
};

const receiptOf = (
  { wallet, network }: Purse,
  { amount, payee, invoice }: Offer,
  { paymentId, txSignature, landed, service }: { paymentId: string; service: string } & Omit<Sent, 'wire'>,
): string => {
  const unsigned = {
    txSignature,
    amount: formatUsdc(amount),
    currency: 'USDC' as const,
    timestamp: new Date(landed.blockTime * 1_000).toISOString(),
    recipient: payee,
    paymentId,
    payer: wallet.address,
    network,
    service,
    ...(invoice === null ? {} : { invoice }),
  };
  const signature = Buffer.from(wallet.sign(receiptMessage(receiptPayload(unsigned)))).toString('base64');
  return encodeReceipt({ ...unsigned, signature });
};
