// Composes a Solana message: legacy, or version 0 without address lookup tables.
// https://solana.com/docs/core/transactions
import bs58 from 'bs58';
import { USDC_DECIMALS } from '../money.ts';
import { memoProgram, tokenProgram } from './programs.ts';

interface Account {
  address: string;
  isSigner: boolean;
  isWritable: boolean;
}
export interface Instruction {
  program: string;
  accounts: readonly Account[];
  data: Uint8Array;
}

interface MessageParts {
  feePayer: string;
  instructions: readonly Instruction[];
  blockhash: string;
  version: 'legacy' | 0;
}

/** The bytes that each signer signs; the fee payer is the first. */
export const composeMessage = ({ feePayer, instructions, blockhash, version }: MessageParts): Buffer => {
  const accounts = accountsOf(feePayer, instructions);
  const indexOf = (address: string): number => accounts.findIndex((one) => one.address === address);
  const signers = accounts.filter(({ isSigner }) => isSigner);
  const compiled = instructions.map(({ program, accounts: named, data }) =>
    Buffer.concat([
      Buffer.of(indexOf(program)),
      listOf(named.map(({ address }) => Buffer.of(indexOf(address)))),
      lengthOf(data.length),
      data,
    ]),
  );
  return Buffer.concat([
    version === 0 ? Buffer.of(0x80) : Buffer.alloc(0),
    Buffer.of(signers.length, readonlyOf(signers), readonlyOf(accounts.filter(({ isSigner }) => !isSigner))),
    listOf(accounts.map(({ address }) => bs58.decode(address))),
    bs58.decode(blockhash),
    listOf(compiled),
    version === 0 ? lengthOf(0) : Buffer.alloc(0),
  ]);
};

/** The transaction with the signatures of its signers, in their order. */
export const withSignatures = (signatures: readonly Uint8Array[], message: Uint8Array): Buffer =>
  Buffer.concat([listOf(signatures), message]);

/** The instruction that moves USDC between two token accounts. */
export const transferChecked = (transfer: {
  source: string;
  destination: string;
  authority: string;
  mint: string;
  amount: bigint;
}): Instruction => {
  const { source, destination, authority, mint, amount } = transfer;
  const data = Buffer.alloc(10);
  data.writeUInt8(12);
  data.writeBigUInt64LE(amount, 1);
  data.writeUInt8(USDC_DECIMALS, 9);
  return {
    program: tokenProgram,
    accounts: [
      { address: source, isSigner: false, isWritable: true },
      { address: mint, isSigner: false, isWritable: false },
      { address: destination, isSigner: false, isWritable: true },
      { address: authority, isSigner: true, isWritable: false },
    ],
    data,
  };
};

/** The instruction of a memo that nobody has to sign. */
export const memoOf = (text: string): Instruction => ({
  program: memoProgram,
  accounts: [],
  data: Buffer.from(text, 'utf8'),
});

const readonlyOf = (accounts: readonly Account[]): number =>
  accounts.filter(({ isWritable }) => !isWritable).length;

/** Each account once, with all rights that it needs: signers first, and writable ones before others. */
const accountsOf = (feePayer: string, instructions: readonly Instruction[]): Account[] => {
  const merged = new Map<string, Account>([
    [feePayer, { address: feePayer, isSigner: true, isWritable: true }],
  ]);
  for (const { program, accounts } of instructions)
    for (const one of [...accounts, { address: program, isSigner: false, isWritable: false }]) {
      const known = merged.get(one.address);
      merged.set(one.address, {
        address: one.address,
        isSigner: one.isSigner || known?.isSigner === true,
        isWritable: one.isWritable || known?.isWritable === true,
      });
    }
  const rank = ({ address, isSigner, isWritable }: Account): number =>
    address === feePayer ? 0 : (isSigner ? 1 : 3) + (isWritable ? 0 : 1);
  return [...merged.values()].toSorted((a, b) => rank(a) - rank(b));
};

const listOf = (items: readonly Uint8Array[]): Buffer => Buffer.concat([lengthOf(items.length), ...items]);

/** A "compact-u16". */
const lengthOf = (length: number): Buffer =>
  length < 0x80 ? Buffer.of(length) : Buffer.of((length & 0x7f) | 0x80, length >> 7);
