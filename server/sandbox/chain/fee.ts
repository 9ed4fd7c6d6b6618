// The fee of a message: a base fee per signature, and the payer's bid per compute unit.
import bs58 from 'bs58';

import { programs, sameKey, view } from './account.ts';
import { keyText, type CompiledInstruction, type Message } from '../../lib/solana/wire.ts';

const lamportsPerSignature = 5000n;
const defaultUnits = 200_000n;
const builtinUnits = 3_000n;
const maxUnits = 1_400_000n;
const mostLamports = 2n ** 64n - 1n;

const texts = (addresses: readonly Uint8Array[]): Set<string> => new Set(addresses.map(keyText));
const secp256k1 = bs58.decode('KeccakSecp256k11111111111111111111111111111');
const secp256r1 = bs58.decode('Secp256r1SigVerify1111111111111111111111111');
/** Part of every node, so that an instruction asks for few units. */
const builtins = texts([programs.system, programs.computeBudget, programs.ed25519, secp256k1]);
/** Each signature that they check costs as much as one of the transaction. */
const signatureCheckers = texts([programs.ed25519, secp256k1, secp256r1]);

export const feeOf = (message: Message): number => Number(exactFeeOf(message));

export const exactFeeOf = (message: Message): bigint => {
  const checked = called(message, signatureCheckers).reduce((sum, { data }) => sum + (data[0] ?? 0), 0);
  const base = lamportsPerSignature * BigInt(message.requiredSignatures + checked);
  const bid = (priceOf(message) * BigInt(unitLimitOf(message)) + 999_999n) / 1_000_000n;
  return smaller(base + bid, mostLamports);
};

/** Compute units that all instructions together may use. */
export const unitLimitOf = (message: Message): number => {
  const wanted = budgetCall(message, 2, 5)?.readUInt32LE(1);
  const implied = message.instructions.reduce(
    (sum, { program }) => sum + (isKeyOf(message, program, builtins) ? builtinUnits : defaultUnits),
    0n,
  );
  return Number(smaller(wanted === undefined ? implied : BigInt(wanted), maxUnits));
};

/** In millionths of a lamport. */
const priceOf = (message: Message): bigint => budgetCall(message, 3, 9)?.readBigUInt64LE(1) ?? 0n;

/** The data of the call of the compute budget with this code. */
const budgetCall = (message: Message, code: number, bytes: number): Buffer | undefined => {
  const calls = message.instructions.filter(
    ({ program, data }) => data[0] === code && data.length >= bytes && isBudget(message, program),
  );
  const last = calls.at(-1);
  return last && view(last.data);
};

const isBudget = ({ keys }: Message, program: number): boolean => {
  const key = keys[program];
  return key !== undefined && sameKey(key, programs.computeBudget);
};

const called = (message: Message, wanted: Set<string>): CompiledInstruction[] =>
  message.instructions.filter(({ program }) => isKeyOf(message, program, wanted));

const isKeyOf = ({ keys }: Message, index: number, wanted: Set<string>): boolean => {
  const key = keys[index];
  return key !== undefined && wanted.has(keyText(key));
};

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
