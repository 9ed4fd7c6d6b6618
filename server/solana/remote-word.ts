// A remote word: a transaction by which the owner's phone approves, denies or freezes. All that counts is in the bytes
// that the phone signed, so an RPC can hide or delay a word, or show one that was signed and never landed. It cannot
// make one up.
import bs58 from 'bs58';
import type { RemoteWord } from '../engine/ports.ts';
import { memoProgram, systemProgram } from '../lib/solana/programs.ts';
import { isSignature } from '../lib/solana/wallet-signature.ts';
import { isAddedByWallet } from './wallet-additions.ts';
import { decodeMessage, type Instruction, type Message } from '../lib/solana/solana-message.ts';

/** Lamports of a word: 0.000001 SOL. */
const wordLamports = 1_000n;
const transferCode = 2;
const signatureBytes = 64;

/** Reads a signed transaction as a word to this treasury; null when it is anything else. Pure, and never throws. */
export const wordIn = (wire: Buffer, treasury: string): RemoteWord | null => {
  try {
    return readWord(wire, treasury);
  } catch {
    return null;
  }
};

const readWord = (wire: Buffer, treasury: string): RemoteWord | null => {
  // One signature: the wallet that pays the fee is the only signer.
  if (wire[0] !== 1) return null;
  const signature = wire.subarray(1, 1 + signatureBytes);
  const bytes = wire.subarray(1 + signatureBytes);
  const message = decodeMessage(bytes);
  const payer = message.accounts[0];
  if (payer === undefined || message.isSigner(1)) return null;
  const wallet = bs58.encode(payer);
  if (wallet === treasury || !isSignature(signature, bytes, wallet)) return null;

  const said = message.instructions.filter(
    ({ program, data }) => !isAddedByWallet(bs58.encode(program), data),
  );
  const [memo, transfer, ...others] = said.toSorted((a, b) => rank(a) - rank(b));
  if (memo === undefined || transfer === undefined || others.length > 0) return null;
  if (rank(memo) !== 0 || rank(transfer) !== 1) return null;
  if (!memo.accounts.every((account) => account.equals(payer))) return null;
  const references = referencesOf(message, transfer, { payer, treasury });
  if (references === null) return null;
  return { signature: bs58.encode(signature), wallet, memo: textOf(memo.data), references };
};

const rank = ({ program }: Instruction): number => [memoProgram, systemProgram].indexOf(bs58.encode(program));

/** @throws TypeError for bytes that are no UTF-8 */
const textOf = (bytes: Buffer): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes);

/** The read-only accounts after the payer and the treasury; null when this is not the transfer that was asked for. */
const referencesOf = (
  message: Message,
  { accounts, data }: Instruction,
  { payer, treasury }: { payer: Buffer; treasury: string },
): string[] | null => {
  const [from, to, ...references] = accounts;
  if (data.length !== 12 || data.readUInt32LE(0) !== transferCode) return null;
  if (data.readBigUInt64LE(4) !== wordLamports) return null;
  if (from?.equals(payer) !== true || to === undefined || bs58.encode(to) !== treasury) return null;
  const isPlain = (reference: Buffer): boolean =>
    message.accounts.every(
      (account, at) => !account.equals(reference) || (!message.isSigner(at) && !message.isWritable(at)),
    );
  return references.every(isPlain) ? references.map((one) => bs58.encode(one)) : null;
};
