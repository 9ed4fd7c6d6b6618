// The instructions of a payment, and of a refund.
import bs58 from 'bs58';
import { memoProgram, tokenProgram } from '../lib/solana/programs.ts';
import { decodeTransaction, type Instruction } from '../lib/solana/wire.ts';
import { USDC_DECIMALS } from '../money.ts';

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
    program: bs58.decode(tokenProgram),
    accounts: [
      { key: bs58.decode(source), writable: true },
      { key: bs58.decode(mint), writable: false },
      { key: bs58.decode(destination), writable: true },
      { key: bs58.decode(authority), writable: false, signer: true },
    ],
    data,
  };
};

/** The amount that a transaction of ours moves, from its base64; null for other bytes. */
export const amountIn = (wire: string): bigint | null => {
  try {
    const { instructions } = decodeTransaction(Buffer.from(wire, 'base64')).message;
    const transfer = instructions.find(({ data }) => data[0] === 12 && data.length === 10);
    return transfer?.data.readBigUInt64LE(1) ?? null;
  } catch {
    return null;
  }
};

/** The instruction of a memo that nobody has to sign. */
export const memoOf = (text: string): Instruction => ({
  program: bs58.decode(memoProgram),
  accounts: [],
  data: Buffer.from(text, 'utf8'),
});
