// The input of an instruction of the Token program.
import { refuse } from '../refusal.ts';
import { fail } from './errors.ts';
import type { Copy } from './state.ts';

export interface TokenCall {
  readonly copies: readonly Copy[];
  /** Behind the instruction's code. */
  readonly data: Buffer;
  answer(data: Uint8Array): void;
}

export type TokenInstruction = (call: TokenCall) => void;

/** The amount at the beginning of the data. @throws Refusal */
export const amountOf = ({ data }: TokenCall): bigint =>
  data.length >= 8 ? data.readBigUInt64LE(0) : fail('InvalidInstruction');

/** The amount, and the decimals behind it. @throws Refusal */
export const checkedAmountOf = (call: TokenCall): { amount: bigint; decimals: number } => {
  const decimals = call.data[8] ?? fail('InvalidInstruction');
  return { amount: amountOf(call), decimals };
};

/** @throws Refusal of a call with fewer accounts */
export const need = ({ copies }: TokenCall, count: number): void => {
  if (copies.length < count) refuse('NotEnoughAccountKeys');
};

/** The account at this place. @throws Refusal where there is none */
export const at = ({ copies }: TokenCall, place: number): Copy =>
  copies[place] ?? refuse('NotEnoughAccountKeys');
