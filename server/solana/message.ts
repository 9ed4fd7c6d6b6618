// The transactions that the treasury makes. Ours: a memo, the payee's token account when it must be opened, and the
// transfer; the treasury pays the fee. The other shape is the one that sellers of x402 and MPP ask for.
import { hash } from 'node:crypto';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { ComputeBudgetProgram, PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import bs58 from 'bs58';
import type { Lifetime, SolTransfer, Transfer, UsdcTransfer } from '../engine/ports.ts';
import { invariant } from '../errors.ts';
import { remember } from '../lib/remember.ts';
import { shareOf } from '../lib/share-of.ts';
import { memoProgram as memoAddress } from '../lib/solana/programs.ts';
import { decodeMessage } from '../lib/solana/solana-message.ts';
import { memoOf } from '../lib/solana/transfer-memo.ts';
import { keyOfAddress } from '../lib/solana/wallet-signature.ts';
import { encodeMessage } from '../lib/solana/wire.ts';
import { USDC_DECIMALS, usdc } from '../money.ts';

export const memoProgram = new PublicKey(memoAddress);
const computeBudgetProgram = ComputeBudgetProgram.programId.toBuffer();
/** Kinds of its instructions. */
const [setComputeUnitLimit, setComputeUnitPrice] = [2, 3];
const signatureBytes = 64;
const lamportsPerSignature = 5_000n;
/**
 * More than a memo, the opening of an account and a transfer need, than a split with its memo, and than the longest memo
 * of an anchor. MPP sellers admit 200,000.
 */
const computeUnits = { transfer: 120_000, split: 10_000, anchor: 200_000 };
/** Micro-lamports per compute unit when a facilitator pays: the x402 scheme admits 5,000,000. */
const facilitatorsPrice = 4_096n;
/** Micro-lamports by which the prices of equal transfers of our own differ, at most. */
const priceSpread = 1_024n;

type Payer = Pick<Transfer, 'kind' | 'wallet' | 'payee'> & { purchase?: Transfer['purchase'] };

/** Whether the transaction has the shape that sellers of x402 and MPP expect instead of our own. */
export const isSellersShape = ({ purchase }: Pick<Payer, 'purchase'>): boolean =>
  purchase != null && purchase.dialect !== 'receipt';

/**
 * Lamports that the treasury pays: 5,000 per signature, and the priority fee for all compute units at `price`
 * micro-lamports each; 0 when the seller's facilitator pays.
 */
export const feeOf = (transfer: Payer, treasury: string, price: bigint): bigint => {
  if (transfer.purchase?.feePayer != null) return 0n;
  const signatures = transfer.wallet === treasury ? 1n : 2n;
  return (
    lamportsPerSignature * signatures +
    priorityFee(computeUnitsOf(transfer), isSellersShape(transfer) ? price + priceSpread : price)
  );
};

/**
 * Lamports that the chain takes for a signed transaction of ours: 5,000 per signature, and the price that it offers for all
 * of its compute units. https://solana.com/docs/core/fees
 */
export const feeTaken = (wire: Uint8Array): bigint => {
  const signatures = wire[0] ?? 0;
  const { instructions } = decodeMessage(Buffer.from(wire.subarray(1 + signatures * signatureBytes)));
  const budget = instructions.filter(({ program }) => program.equals(computeBudgetProgram));
  const [limit, price] = [setComputeUnitLimit, setComputeUnitPrice].map(
    (kind) => budget.find(({ data }) => data[0] === kind)?.data,
  );
  const base = lamportsPerSignature * BigInt(signatures);
  if (price === undefined) return base;
  invariant(limit !== undefined, 'our transactions with a price have a limit');
  return base + priorityFee(limit.readUInt32LE(1), price.readBigUInt64LE(1));
};

const computeUnitsOf = ({ kind, purchase }: Pick<Payer, 'kind' | 'purchase'>): number =>
  kind === 'anchor'
    ? computeUnits.anchor
    : computeUnits.transfer + computeUnits.split * (purchase?.splits.length ?? 0);

const priorityFee = (units: number, price: bigint): bigint => (price * BigInt(units) + 999_999n) / 1_000_000n;

/** The highest price of a compute unit, in micro-lamports, that the fee reserved for this transfer covers. */
export const computeUnitPriceOf = (
  transfer: Payer & Pick<Transfer, 'feeLamports'>,
  treasury: string,
): bigint => {
  if (transfer.purchase?.feePayer != null) return facilitatorsPrice;
  const base = feeOf({ ...transfer, purchase: null }, treasury, 0n);
  return ((transfer.feeLamports - base) * 1_000_000n) / BigInt(computeUnitsOf(transfer));
};

const publicKey = remember((address: string) => new PublicKey(address));

const tokenAccountKey = remember((ownerAndMint: string) => {
  const [owner = '', mint = ''] = ownerAndMint.split(' ');
  // A multisig is off the curve: the engine pays it only where it has such an account.
  return getAssociatedTokenAddressSync(publicKey(mint), publicKey(owner), true);
});

const tokenAccount = (owner: string, mint: string): PublicKey => tokenAccountKey(`${owner} ${mint}`);

/** The owner of the USDC account that pays. */
export const payerOf = ({ source, wallet }: Pick<Transfer, 'source' | 'wallet'>): string => source ?? wallet;

/** The address of the wallet's associated token account, base58. */
export const tokenAccountAddress = (owner: string, mint: string): string =>
  tokenAccount(owner, mint).toBase58();

/** Whether the text is the address of a key, not of a program or of a program's account. */
export const isWallet = remember((address: string): boolean => keyOfAddress(address) !== null);

/** The message to sign. Ours is a legacy message, which every wallet and explorer reads. */
export const buildMessage = (
  transfer: Transfer,
  lifetime: Lifetime,
  treasury: string,
  mint: string,
): Uint8Array => {
  if (isSellersShape(transfer)) return buildSellersMessage(transfer, lifetime, treasury, mint);
  const price = computeUnitPriceOf(transfer, treasury);
  const payer = publicKey(treasury);
  const instructions = [
    ...(price > 0n
      ? [
          ComputeBudgetProgram.setComputeUnitLimit({ units: computeUnitsOf(transfer) }),
          ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price }),
        ]
      : []),
    memoInstruction(memoOf(transfer)),
    ...moves(transfer, payer, mint),
  ];
  return compiled(payer, lifetime, instructions, 'legacy');
};

/**
 * The Solana transaction that x402's scheme "exact" and MPP's "charge" require: version 0, compute budget, one
 * TransferChecked to the existing account of each recipient, and at most the memos that were agreed on.
 * https://github.com/x402-foundation/x402/blob/main/specs/schemes/exact/scheme_exact_svm.md
 */
const buildSellersMessage = (
  transfer: Transfer,
  lifetime: Lifetime,
  treasury: string,
  mint: string,
): Uint8Array => {
  invariant(transfer.asset === 'USDC', 'a seller is paid in USDC');
  const { id, purchase } = transfer;
  // Two equal purchases may have the same memo: their compute units and prices tell them apart.
  const salt = hash('sha256', id, 'buffer');
  const units = computeUnitsOf(transfer) - salt.readUInt16LE(0);
  const highest = computeUnitPriceOf(transfer, treasury);
  const spread = purchase?.feePayer == null ? priceSpread : highest;
  const price = highest - (BigInt(salt.readUInt16LE(2)) % spread);
  const splits = purchase?.splits ?? [];
  const memos = [purchase?.memo ?? null, ...splits.map(({ memo }) => memo)].filter((memo) => memo !== null);
  const payerKey = publicKey(purchase?.feePayer ?? treasury);
  const instructions = [
    ComputeBudgetProgram.setComputeUnitLimit({ units }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price }),
    ...usdcTransfer({ ...transfer, amount: usdc(shareOf(transfer.amount, splits)) }, payerKey, mint),
    ...splits.flatMap(({ payee, amount }) => usdcTransfer({ ...transfer, payee, amount }, payerKey, mint)),
    ...memos.map(memoInstruction),
  ];
  return compiled(payerKey, lifetime, instructions, 0);
};

const compiled = (
  payer: PublicKey,
  { blockhash }: Lifetime,
  instructions: readonly TransactionInstruction[],
  version: 'legacy' | 0,
): Uint8Array =>
  encodeMessage(
    payer.toBytes(),
    bs58.decode(blockhash),
    instructions.map(({ programId, keys, data }) => ({
      program: programId.toBytes(),
      accounts: keys.map(({ pubkey, isSigner, isWritable }) => ({
        key: pubkey.toBytes(),
        writable: isWritable,
        signer: isSigner,
      })),
      data,
    })),
    version,
  );

/** An anchor moves nothing: it is its memo. */
const moves = (transfer: Transfer, payer: PublicKey, mint: string): TransactionInstruction[] => {
  if (transfer.kind === 'anchor') return [];
  return transfer.asset === 'SOL' ? [solTransfer(transfer)] : usdcTransfer(transfer, payer, mint);
};

const memoInstruction = (text: string): TransactionInstruction =>
  new TransactionInstruction({ programId: memoProgram, keys: [], data: Buffer.from(text) });

const solTransfer = ({ wallet, payee, amount }: SolTransfer): TransactionInstruction =>
  SystemProgram.transfer({ fromPubkey: publicKey(wallet), toPubkey: publicKey(payee), lamports: amount });

const usdcTransfer = (transfer: UsdcTransfer, payer: PublicKey, mint: string): TransactionInstruction[] => {
  const { wallet, payee, amount, rentLamports } = transfer;
  // The wallet signs: as the owner of its own account, or as the delegate of a cold one.
  const from = tokenAccount(payerOf(transfer), mint);
  const to = tokenAccount(payee, mint);
  const mintKey = publicKey(mint);
  return [
    ...(rentLamports > 0n
      ? [createAssociatedTokenAccountIdempotentInstruction(payer, to, publicKey(payee), mintKey)]
      : []),
    createTransferCheckedInstruction(from, mintKey, to, publicKey(wallet), amount, USDC_DECIMALS),
  ];
};
