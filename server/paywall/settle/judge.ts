// Whether the fee of a buyer's transaction is paid: only of one that pays the offer and can cost the fee payer nothing but
// that fee. Pure, and strict: the fee payer's signature stands for all that the message holds.
// https://github.com/x402-foundation/x402/blob/main/specs/schemes/exact/scheme_exact_svm.md
import bs58 from 'bs58';
import { computeBudgetProgram, memoProgram, tokenProgram } from '../../lib/solana/programs.ts';
import { isGuard } from '../../lib/solana/wallet-guards.ts';
import { isSignature } from '../../lib/solana/wallet-signature.ts';
import { WireError, decodeTransaction, type Message, type Transaction } from '../../lib/solana/wire.ts';
import { USDC_DECIMALS } from '../../money.ts';
import { associatedTokenAccount } from '../token-account.ts';
import { charge, exact, type Codes } from './codes.ts';

/** What the transaction has to pay, in one of two protocols. */
export interface Demand {
  protocol: 'exact' | 'charge';
  mint: string;
  /** The payee's associated token account. */
  account: string;
  amount: bigint;
  /** The part of the amount that goes to others; an offer of ours has none. */
  splits?: bigint;
  feePayer: string;
  /** The transaction's only memo; null when none is pinned, and then there may be one. */
  memo: string | null;
  mostInstructions: number;
}

/** A transaction whose fee may be paid. */
export interface Judged {
  transaction: Transaction;
  /** The wallet whose USDC pays, and the one signer besides the fee payer. */
  payer: string;
  /** The whole fee, as the chain takes it. */
  lamports: number;
}

interface Step {
  program: string;
  accounts: string[];
  data: Buffer;
}

const caps = { exact: { codes: exact, units: 400_000 }, charge: { codes: charge, units: 200_000 } };
const mostPrice = 5_000_000n;
const lamportsPerSignature = 5_000;
const microLamports = 1_000_000n;
/** The fee of a transaction that two sign and that bids nothing. */
export const leastLamports = 2 * lamportsPerSignature;

/** The highest fee of a transaction that is taken in this protocol. */
export const mostLamportsOf = (protocol: Demand['protocol']): number =>
  leastLamports + Number((BigInt(caps[protocol].units) * mostPrice) / microLamports);

/** The transaction with its payer and fee, or the published code of the first thing that is wrong. */
export const judge = (wire: Uint8Array, demand: Demand): Judged | { refused: string } => {
  const { codes, units } = caps[demand.protocol];
  const transaction = read(wire);
  if (transaction === null) return { refused: codes.undecodable };
  const { message } = transaction;
  const steps = inOrder(demand.protocol, stepsOf(message));
  const payer = textOf(message.keys[1]);
  const refused =
    faultOfSigners(transaction, demand, codes) ??
    faultOfBudget(steps, units, codes) ??
    faultOfTransfer(steps[2], demand, payer, codes) ??
    faultOfOthers(steps.slice(3), demand, codes) ??
    (steps.some((step) => names(step, demand.feePayer)) ? codes.feePayerNamed : null);
  return refused === null ? { transaction, payer, lamports: feeOf(message, steps) } : { refused };
};

const read = (wire: Uint8Array): Transaction | null => {
  try {
    return decodeTransaction(wire);
  } catch (error) {
    if (error instanceof WireError) return null;
    throw error;
  }
};

const textOf = (key: Uint8Array | undefined): string => (key === undefined ? '' : bs58.encode(key));

/** An account that a table would load has no key here, and such a message is refused. */
const stepsOf = ({ keys, instructions }: Message): Step[] => {
  const texts = keys.map(textOf);
  return instructions.map(({ program, accounts, data }) => ({
    program: texts[program] ?? '',
    accounts: [...accounts].map((account) => texts[account] ?? ''),
    data,
  }));
};

const isUnitLimit = ({ program, data }: Step): boolean => program === computeBudgetProgram && data[0] === 2;
const isUnitPrice = ({ program, data }: Step): boolean => program === computeBudgetProgram && data[0] === 3;

/** A charge may have its instructions in any order; each kind stands once all the same. */
const inOrder = (protocol: Demand['protocol'], steps: Step[]): Step[] => {
  if (protocol === 'exact') return steps;
  const rank = (step: Step): number => {
    if (isUnitLimit(step)) return 0;
    if (isUnitPrice(step)) return 1;
    return step.program === tokenProgram ? 2 : 3;
  };
  return steps.toSorted((a, b) => rank(a) - rank(b));
};

const faultOfSigners = (
  { message, signatures }: Transaction,
  { feePayer, mostInstructions }: Demand,
  codes: Codes,
): string | null => {
  const { keys, requiredSignatures, lookups, instructions } = message;
  if (textOf(keys[0]) !== feePayer) return codes.feePayerMismatch;
  if (requiredSignatures > 2) return codes.signers;
  const isSigned = signatures.every(
    (signature, n) => n === 0 || isSignature(signature, message.bytes, textOf(keys[n])),
  );
  if (!isSigned) return codes.signature;
  if (lookups.length > 0) return codes.lookups;
  return instructions.length < 3 || instructions.length > mostInstructions ? codes.length : null;
};

const faultOfBudget = ([limit, price]: Step[], mostUnits: number, codes: Codes): string | null => {
  if (!limit || !isUnitLimit(limit) || limit.data.length !== 5 || limit.accounts.length > 0)
    return codes.unitLimit;
  if (limit.data.readUInt32LE(1) > mostUnits) return codes.unitLimitTooHigh;
  if (!price || !isUnitPrice(price) || price.data.length !== 9 || price.accounts.length > 0)
    return codes.unitPrice;
  return price.data.readBigUInt64LE(1) > mostPrice ? codes.unitPriceTooHigh : null;
};

const faultOfTransfer = (
  step: Step | undefined,
  { mint, account, amount, splits = 0n, feePayer }: Demand,
  payer: string,
  codes: Codes,
): string | null => {
  if (splits >= amount) return codes.splits;
  if (step?.program !== tokenProgram || step.data[0] !== 12 || step.data.length !== 10)
    return codes.noTransfer;
  const [source, ofMint, destination, authority, ...others] = step.accounts;
  if (authority === undefined || others.length > 0) return codes.noTransfer;
  const isTheirs =
    [authority, source].includes(feePayer) || source === associatedTokenAccount(mint, feePayer);
  if (isTheirs) return codes.feePayerFunds;
  if (authority !== payer) return codes.signature;
  if (ofMint !== mint || step.data[9] !== USDC_DECIMALS) return codes.mint;
  if (destination !== account) return codes.recipient;
  return step.data.readBigUInt64LE(1) === amount - splits ? null : codes.amount;
};

/** After the transfer stand the memo and, in x402, the guards of the buyer's wallet. */
const faultOfOthers = (steps: Step[], { protocol, memo }: Demand, codes: Codes): string | null => {
  const memos = steps.filter(({ program }) => program === memoProgram);
  const other = steps.findIndex(
    ({ program, data }) => program !== memoProgram && !(protocol === 'exact' && isGuard(program, data)),
  );
  if (other >= 0) return codes.other(other);
  if (memos.length > 1 || (memo !== null && memos.length === 0)) return codes.memoCount;
  const [shown] = memos;
  return memo === null || shown?.data.equals(Buffer.from(memo, 'utf8')) === true ? null : codes.memoMismatch;
};

/** A guard may name the fee payer. */
const names = ({ program, accounts, data }: Step, feePayer: string): boolean =>
  accounts.includes(feePayer) && !isGuard(program, data);

const feeOf = ({ requiredSignatures }: Message, [limit, price]: Step[]): number => {
  const units = BigInt(limit?.data.readUInt32LE(1) ?? 0);
  const bid = units * (price?.data.readBigUInt64LE(1) ?? 0n);
  return requiredSignatures * lamportsPerSignature + Number((bid + microLamports - 1n) / microLamports);
};
