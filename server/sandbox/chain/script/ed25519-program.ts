// Checks signatures that stand in the data of the transaction's instructions.
import { view } from '../account.ts';
import { isOnCurve } from '../keypair.ts';
import type { Program } from './program.ts';
import { refuse } from './refusal.ts';
import { isSignature } from './signatures.ts';

const failures = { badKey: 0, badSignature: 2, badOffsets: 3, badLength: 4 } as const;

const headerBytes = 2;
const entryBytes = 14;
/** For the data of the instruction itself. */
const itself = 0xffff;

export const ed25519Program: Program = {
  kind: 'check',
  run: ({ data, machine }) => {
    const bytes = view(data);
    const count = bytes[0];
    const isComplete = count !== undefined && bytes.length >= headerBytes + count * entryBytes;
    if (!isComplete || bytes.length < headerBytes || (count === 0 && bytes.length > headerBytes))
      return fail(failures.badLength);
    for (let index = 0; index < count; index += 1) {
      const field = (at: number): number => bytes.readUInt16LE(headerBytes + index * entryBytes + at * 2);
      const slice = (instruction: number, start: number, length: number): Uint8Array => {
        const source = instruction === itself ? data : machine.instructionData[instruction];
        if (!source || start + length > source.length) return fail(failures.badOffsets);
        return source.subarray(start, start + length);
      };
      const signature = slice(field(1), field(0), 64);
      const key = slice(field(3), field(2), 32);
      if (!isOnCurve(key)) fail(failures.badKey);
      const message = slice(field(6), field(4), field(5));
      if (!isSignature(signature, message, key)) fail(failures.badSignature);
    }
    return undefined;
  },
};

const fail = (code: number): never => refuse({ Custom: code });
