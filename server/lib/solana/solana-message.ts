// A message as the vault, the verifier and the reader of phones judge it: each account by its key, and no account that the
// message itself does not show.
import { invariant } from '../../errors.ts';
import { isWritableKey, maxTransactionBytes, decodeMessage as readMessage } from './wire.ts';

export interface Instruction {
  program: Buffer;
  accounts: Buffer[];
  data: Buffer;
}

export interface Message {
  accounts: Buffer[];
  instructions: Instruction[];
  /** Positions of the fee payer and of all accounts that instructions name, their programs included. */
  used: ReadonlySet<number>;
  isSigner(position: number): boolean;
  isWritable(position: number): boolean;
}

/** @throws Error when the bytes are not exactly one well-formed message, or when it uses lookup tables */
export const decodeMessage = (bytes: Buffer): Message => {
  invariant(bytes.length <= maxTransactionBytes, 'the message is larger than a packet');
  const message = wellFormed(bytes);
  invariant(message.lookups.length === 0, 'the message uses no lookup tables');
  const { keys, instructions, requiredSignatures } = message;
  const account = (position: number): Buffer => {
    const found = keys[position];
    invariant(found, 'an instruction names accounts that are there');
    return found;
  };
  return {
    accounts: [...keys],
    instructions: instructions.map(({ program, accounts, data }) => ({
      program: account(program),
      accounts: [...accounts].map(account),
      data,
    })),
    used: new Set([0, ...instructions.flatMap(({ program, accounts }) => [program, ...accounts])]),
    isSigner: (position) => position < requiredSignatures,
    isWritable: (position) => isWritableKey(message, position),
  };
};

const wellFormed = (bytes: Buffer): ReturnType<typeof readMessage> => {
  try {
    return readMessage(bytes);
  } catch (cause) {
    throw new Error('Invariant broken: the message is well-formed', { cause });
  }
};
