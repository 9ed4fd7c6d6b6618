// Questions to the Token program, which it answers in the return data.
import { isUtf8 } from 'node:buffer';

import { refuse } from '../refusal.ts';
import { fail } from './errors.ts';
import { checkIsMint } from './opening.ts';
import { accountBytes, checkProgram, mintAt } from './state.ts';
import { amountOf, at, type TokenCall, type TokenInstruction } from './token-call.ts';

export const getAccountDataSize: TokenInstruction = (call) => {
  decimalsOf(call);
  call.answer(bytesOf(BigInt(accountBytes)));
};

export const amountToUiAmount: TokenInstruction = (call) => {
  const digits = amountOf(call).toString();
  const decimals = decimalsOf(call);
  call.answer(Buffer.from(decimals === 0 ? digits : withPoint(digits, decimals)));
};

/** Without zeros at the end. */
const withPoint = (digits: string, decimals: number): string => {
  const padded = digits.padStart(decimals + 1, '0');
  const fraction = padded.slice(-decimals).replace(/0+$/, '');
  return fraction === '' ? padded.slice(0, -decimals) : `${padded.slice(0, -decimals)}.${fraction}`;
};

export const uiAmountToAmount: TokenInstruction = (call) => {
  if (!isUtf8(call.data)) fail('InvalidInstruction');
  call.answer(bytesOf(unitsOf(call.data.toString(), decimalsOf(call))));
};

const mostDigits = 257;

const unitsOf = (text: string, decimals: number): bigint => {
  const [whole = '', behind = '', ...more] = text.split('.');
  const fraction = behind.replace(/0+$/, '');
  const isPossible =
    (whole !== '' || fraction !== '') &&
    more.length === 0 &&
    Buffer.byteLength(fraction) <= decimals &&
    Buffer.byteLength(whole) + decimals <= mostDigits;
  const digits = /^\+?(\d+)$/.exec(whole + fraction.padEnd(decimals, '0'))?.[1];
  if (!isPossible || digits === undefined) return refuse('InvalidArgument');
  const units = BigInt(digits);
  return units < 2n ** 64n ? units : refuse('InvalidArgument');
};

/** @throws Refusal unless the first account is a mint */
const decimalsOf = (call: TokenCall): number => {
  const copy = at(call, 0);
  checkProgram(copy);
  return checkIsMint(copy)[mintAt.decimals] ?? 0;
};

const bytesOf = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};
