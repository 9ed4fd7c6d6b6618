// The fee of a message: a base fee per signature, and the payer's bid per compute unit.
import { programs, sameKey, view } from './account.ts';
import type { Message } from './wire.ts';

const lamportsPerSignature = 5000;
const defaultUnits = 200_000;
const builtinUnits = 3_000;
const maxUnits = 1_400_000n;

export const feeOf = (message: Message): number =>
  lamportsPerSignature * message.requiredSignatures + priorityFee(message);

const priorityFee = ({ keys, instructions }: Message): number => {
  let price = 0n;
  let limit: bigint | null = null;
  let implied = 0n;
  for (const { program, data } of instructions) {
    const key = keys[program];
    const isBudget = key !== undefined && sameKey(key, programs.computeBudget);
    implied += BigInt(isBudget || (key && sameKey(key, programs.system)) ? builtinUnits : defaultUnits);
    if (isBudget && data[0] === 2 && data.length >= 5) limit = BigInt(view(data).readUInt32LE(1));
    if (isBudget && data[0] === 3 && data.length >= 9) price = view(data).readBigUInt64LE(1);
  }
  const wanted = limit ?? implied;
  const units = wanted > maxUnits ? maxUnits : wanted;
  return Number((price * units + 999_999n) / 1_000_000n);
};
