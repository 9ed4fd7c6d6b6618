// The transaction by which the owner of a cold treasury sets this treasury's allowance. We build it, a wallet signs it, and
// nothing is sent but what we have built: a wallet may add its network fee and its guards, and change nothing else.
import {
  createApproveCheckedInstruction,
  createRevokeInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import {
  ComputeBudgetProgram,
  PublicKey,
  TransactionMessage,
  VersionedTransaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import type { AllowanceOrder } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import { isSignature } from '../lib/solana/wallet-signature.ts';
import { USDC_DECIMALS } from '../money.ts';
import { isAddedByWallet } from './wallet-additions.ts';

interface Place {
  mint: string;
  treasury: string;
  /** Micro-lamports per compute unit. */
  price: bigint;
}

/** More than an approval and a wallet's guards need. */
const computeUnits = 60_000;

/** The unsigned transaction: `approveChecked`, or `revoke` for an allowance of 0. The cold wallet pays the fee. */
export const buildAllowance = (
  { address, allowance, lifetime, salt }: AllowanceOrder,
  { mint, treasury, price }: Place,
): Uint8Array => {
  const owner = new PublicKey(address);
  const mintKey = new PublicKey(mint);
  const account = getAssociatedTokenAddressSync(mintKey, owner);
  const delegate = new PublicKey(treasury);
  const instructions = [
    // Two equal transactions under one blockhash would be one, and the second would do nothing.
    ComputeBudgetProgram.setComputeUnitLimit({ units: computeUnits + salt }),
    ...(price > 0n ? [ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price })] : []),
    allowance === 0n
      ? createRevokeInstruction(account, owner)
      : createApproveCheckedInstruction(account, mintKey, delegate, owner, allowance, USDC_DECIMALS),
  ];
  const message = new TransactionMessage({
    payerKey: owner,
    recentBlockhash: lifetime.blockhash,
    instructions,
  });
  // A legacy message, which every wallet signs.
  return new VersionedTransaction(message.compileToLegacyMessage()).serialize();
};

/**
 * The signature, base58, of a transaction that a wallet returned.
 * @throws AppError `conflict` when the wallet changed it or did not sign it; the message says what differs
 */
export const signatureOn = (unsigned: Uint8Array, returned: Uint8Array): string => {
  const wanted = read(unsigned);
  const got = read(returned);
  const change = wanted === null || got === null ? 'it is no transaction' : changeIn(wanted, got);
  if (change !== null || got === null)
    throw new AppError(
      'conflict',
      `Your wallet changed the transaction: ${change}. Nothing was sent. Use another wallet, or the command for a Ledger.`,
    );
  const { signatures, message } = got.transaction;
  const [signature] = signatures;
  const [signer] = message.staticAccountKeys;
  if (signature === undefined || signer === undefined || !isSigned(got.transaction, signature, signer))
    throw new AppError('conflict', 'Your wallet did not sign the transaction. Nothing was sent. Try again.');
  return bs58.encode(signature);
};

interface Read {
  transaction: VersionedTransaction;
  /** All but those that wallets add by themselves. */
  instructions: TransactionInstruction[];
}

/** Null for bytes that are no transaction, or one that names accounts which it does not list. */
const read = (wire: Uint8Array): Read | null => {
  try {
    const transaction = VersionedTransaction.deserialize(wire);
    // The bytes that are sent have to be those that are compared here.
    if (!Buffer.from(transaction.serialize()).equals(wire)) return null;
    // A table could name other accounts than those that we read here; `changeIn` refuses it.
    const hasTables = transaction.message.addressTableLookups.length > 0;
    const all = hasTables ? [] : TransactionMessage.decompile(transaction.message).instructions;
    const instructions = all.filter(({ programId, data }) => !isAddedByWallet(programId.toBase58(), data));
    return { transaction, instructions };
  } catch {
    return null;
  }
};

/** Half a sentence; null when nothing that matters was changed. */
const changeIn = (wanted: Read, got: Read): string | null => {
  const [asked, came] = [wanted.transaction.message, got.transaction.message];
  if (
    came.header.numRequiredSignatures !== 1 ||
    !sameKey(came.staticAccountKeys[0], asked.staticAccountKeys[0])
  )
    return 'another wallet signs it or pays for it';
  if (came.addressTableLookups.length > 0) return 'it looks accounts up in a table';
  if (came.recentBlockhash !== asked.recentBlockhash) return 'it lives for another time';
  const [ours, theirs] = [wanted.instructions, got.instructions];
  const extra = theirs.find((one) => !ours.some((other) => same(one, other)));
  if (extra !== undefined && theirs.length > ours.length)
    return `it has an instruction for the program ${extra.programId.toBase58()} that we did not ask for`;
  const isEqual = theirs.length === ours.length && theirs.every((one, place) => same(one, ours[place]));
  return isEqual ? null : 'its amount, its accounts or its instructions differ';
};

const same = (one: TransactionInstruction, other: TransactionInstruction | undefined): boolean =>
  other !== undefined &&
  one.programId.equals(other.programId) &&
  one.data.equals(other.data) &&
  one.keys.length === other.keys.length &&
  one.keys.every(({ pubkey }, place) => sameKey(pubkey, other.keys[place]?.pubkey));

const sameKey = (one: PublicKey | undefined, other: PublicKey | undefined): boolean =>
  one !== undefined && other !== undefined && one.equals(other);

const isSigned = ({ message }: VersionedTransaction, signature: Uint8Array, signer: PublicKey): boolean =>
  isSignature(signature, message.serialize(), signer.toBase58());
