// Half-signed transactions, instruction by instruction, and what they have to pay.
import { createHash, randomBytes } from 'node:crypto';
import bs58 from 'bs58';
import { usdcMints } from '../../server/contract/treasury/networks.ts';
import { computeBudgetProgram, memoProgram } from '../../server/lib/solana/programs.ts';
import { encodeMessage, encodeTransaction, type Instruction } from '../../server/lib/solana/wire.ts';
import { transferChecked } from '../../server/paywall/instructions.ts';
import { keySignerOf } from '../../server/paywall/key-file.ts';
import { associatedTokenAccount } from '../../server/paywall/token-account.ts';
import type { KeySigner } from '../../server/paywall/types.ts';

/** The same key for the same name. */
export const keyOf = (name: string): KeySigner => keySignerOf(createHash('sha256').update(name).digest());
export const [payer, feePayer, payee] = [keyOf('payer'), keyOf('fee payer'), keyOf('payee')];
export const mint = usdcMints.mainnet;
export const lighthouse = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95';

export const step = (
  program: string,
  data: Uint8Array,
  accounts: Instruction['accounts'] = [],
): Instruction => ({ program: bs58.decode(program), accounts, data });
export const limit = (units: number): Instruction => {
  const data = Buffer.alloc(5, 2);
  data.writeUInt32LE(units, 1);
  return step(computeBudgetProgram, data);
};
export const price = (microLamports: bigint): Instruction => {
  const data = Buffer.alloc(9, 3);
  data.writeBigUInt64LE(microLamports, 1);
  return step(computeBudgetProgram, data);
};
export const memo = (text: string): Instruction => step(memoProgram, Buffer.from(text));
export const account = (owner: string, ofMint = mint): string => associatedTokenAccount(ofMint, owner);

const honest = {
  source: account(payer.address),
  destination: account(payee.address),
  authority: payer.address,
  mint,
  amount: 1_000n,
};
/** 1,000 units from the payer to the payee, but for the changes. */
export const pays = (change: Partial<typeof honest> = {}): Instruction =>
  transferChecked({ ...honest, ...change });
export const guard = (kind: number): Instruction =>
  step(lighthouse, Buffer.of(kind, 0), [{ key: bs58.decode(feePayer.address), writable: false }]);

/** Signed by the payer in each place but the fee payer's. */
export const signed = (
  instructions: readonly Instruction[],
  { blockhash = randomBytes(32), from = feePayer.address }: { blockhash?: Uint8Array; from?: string } = {},
): Buffer => {
  const message = encodeMessage(bs58.decode(from), blockhash, instructions, 0);
  return withSignatures(message);
};
export const withSignatures = (message: Buffer): Buffer => {
  const signatures = Array.from({ length: Number(message[1]) }, (_, n) =>
    n === 0 ? Buffer.alloc(64) : payer.sign(message),
  );
  return encodeTransaction(signatures, message);
};
