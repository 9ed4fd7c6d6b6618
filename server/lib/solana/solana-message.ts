// Reads the bytes of a Solana message: legacy, or version 0 without address lookup tables.
// https://solana.com/docs/core/transactions (message header, compact arrays, versioned messages)
import { invariant } from '../../errors.ts';

const KEY_BYTES = 32;
const PACKET_BYTES = 1232;
const VERSION_FLAG = 0x80;

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
  invariant(bytes.length <= PACKET_BYTES, 'the message is larger than a packet');
  const reader = createReader(bytes);
  const versioned = (reader.peek() & VERSION_FLAG) !== 0;
  if (versioned) invariant(reader.byte() === VERSION_FLAG, 'the message is of version 0');

  const signers = reader.byte();
  const readonlySigners = reader.byte();
  const readonlyOthers = reader.byte();
  const accounts = reader.list(() => reader.take(KEY_BYTES));
  reader.take(KEY_BYTES); // the blockhash: the journal holds it, and the row allows any
  invariant(readonlySigners < signers && signers + readonlyOthers <= accounts.length, 'the header is sane');

  const used = new Set([0]);
  const account = (): Buffer => {
    const position = reader.byte();
    const found = accounts[position];
    invariant(found, 'an instruction names accounts that are there');
    used.add(position);
    return found;
  };
  const instructions = reader.list(() => ({
    program: account(),
    accounts: reader.list(account),
    data: reader.take(reader.length()),
  }));
  if (versioned) invariant(reader.length() === 0, 'the message uses no lookup tables');
  invariant(reader.atEnd(), 'nothing follows the message');

  return {
    accounts,
    instructions,
    used,
    isSigner: (position) => position < signers,
    isWritable: (position) =>
      position < signers ? position < signers - readonlySigners : position < accounts.length - readonlyOthers,
  };
};

const createReader = (bytes: Buffer) => {
  let offset = 0;

  const take = (length: number): Buffer => {
    invariant(offset + length <= bytes.length, 'the message is complete');
    offset += length;
    return bytes.subarray(offset - length, offset);
  };
  const peek = (): number => {
    const value = bytes[offset];
    invariant(value !== undefined, 'the message is complete');
    return value;
  };
  const byte = (): number => {
    const value = peek();
    offset += 1;
    return value;
  };
  // A "compact-u16": two bytes suffice below 16,384, and the runtime refuses a longer form than needed.
  const length = (): number => {
    const low = byte();
    if (low < 0x80) return low;
    const high = byte();
    invariant(high > 0 && high < 0x80, 'a length is in its shortest form');
    return (low & 0x7f) | (high << 7);
  };
  const list = <T>(item: () => T): T[] => {
    const items: T[] = [];
    for (let left = length(); left > 0; left -= 1) items.push(item());
    return items;
  };

  return { take, peek, byte, length, list, atEnd: () => offset === bytes.length };
};
