// The bytes of Solana's transactions, read and written: legacy, or version 0. Strict, because two readings of the same bytes
// are a forgery, and because the sandbox's runtime aborts the whole process on bytes that it cannot read.
// https://solana.com/docs/core/transactions

export interface CompiledInstruction {
  readonly program: number;
  readonly accounts: Buffer;
  readonly data: Buffer;
}

interface TableLookup {
  readonly table: Buffer;
  readonly writable: Buffer;
  readonly readonly: Buffer;
}

export interface Message {
  readonly bytes: Uint8Array;
  readonly version: 'legacy' | 0;
  readonly requiredSignatures: number;
  readonly readonlySigned: number;
  readonly readonlyUnsigned: number;
  readonly keys: readonly Buffer[];
  readonly blockhash: Buffer;
  readonly instructions: readonly CompiledInstruction[];
  readonly lookups: readonly TableLookup[];
}

export interface Transaction {
  readonly wire: Uint8Array;
  readonly signatures: readonly Buffer[];
  readonly message: Message;
}

export class WireError extends Error {}

export const maxTransactionBytes = 1232;
const versionFlag = 0x80;

/** @throws WireError when the bytes are not exactly one well-formed transaction */
export const decodeTransaction = (wire: Uint8Array): Transaction => {
  if (wire.length > maxTransactionBytes) {
    throw new WireError(`transaction too large: ${wire.length} bytes (max: ${maxTransactionBytes} bytes)`);
  }
  const cursor = createCursor(wire);
  const signatures = cursor.list(() => cursor.take(64));
  const message = decodeMessage(cursor.rest());
  if (signatures.length !== message.requiredSignatures) throw new WireError('wrong number of signatures');
  return { wire, signatures, message };
};

/** @throws WireError when the bytes are not exactly one well-formed message */
export const decodeMessage = (bytes: Uint8Array): Message => {
  const cursor = createCursor(bytes);
  const first = cursor.byte();
  if (first > versionFlag) throw new WireError('unsupported message version');
  const version = first === versionFlag ? 0 : 'legacy';
  const message: Message = {
    bytes,
    version,
    requiredSignatures: version === 0 ? cursor.byte() : first,
    readonlySigned: cursor.byte(),
    readonlyUnsigned: cursor.byte(),
    keys: cursor.list(() => cursor.take(32)),
    blockhash: cursor.take(32),
    instructions: cursor.list(() => ({
      program: cursor.byte(),
      accounts: cursor.take(cursor.length()),
      data: cursor.take(cursor.length()),
    })),
    lookups: version === 0 ? cursor.list(() => readLookup(cursor)) : [],
  };
  if (cursor.rest().length > 0) throw new WireError('trailing bytes');
  sanitize(message);
  return message;
};

/** Whether the static key at this index is locked for writing. */
export const isWritableKey = (message: Message, index: number): boolean =>
  index < message.requiredSignatures
    ? index < message.requiredSignatures - message.readonlySigned
    : index < message.keys.length - message.readonlyUnsigned;

export interface Instruction {
  readonly program: Uint8Array;
  readonly accounts: readonly { key: Uint8Array; writable: boolean }[];
  readonly data: Uint8Array;
}

/** A legacy message with the payer as its only signer. */
export const encodeMessage = (
  payer: Uint8Array,
  blockhash: Uint8Array,
  instructions: readonly Instruction[],
): Uint8Array => {
  const writable = new Map<string, boolean>([[keyText(payer), true]]);
  for (const { program, accounts } of instructions) {
    for (const { key, writable: write } of [...accounts, { key: program, writable: false }]) {
      writable.set(keyText(key), write || (writable.get(keyText(key)) ?? false));
    }
  }
  const keys = [...writable.keys()].toSorted((a, b) => Number(writable.get(b)) - Number(writable.get(a)));
  const readonlyCount = keys.filter((key) => !writable.get(key)).length;
  const indexOf = (key: Uint8Array): number => keys.indexOf(keyText(key));
  const compiled = instructions.flatMap(({ program, accounts, data }) => [
    Uint8Array.of(indexOf(program)),
    shortLength(accounts.length),
    Uint8Array.from(accounts, ({ key }) => indexOf(key)),
    shortLength(data.length),
    data,
  ]);
  return Buffer.concat([
    Uint8Array.of(1, 0, readonlyCount),
    shortLength(keys.length),
    ...keys.map((key) => Buffer.from(key, 'latin1')),
    blockhash,
    shortLength(instructions.length),
    ...compiled,
  ]);
};

/** Bytes as a string that can be a Map key. */
export const keyText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');

const readLookup = (cursor: Cursor): TableLookup => ({
  table: cursor.take(32),
  writable: cursor.take(cursor.length()),
  readonly: cursor.take(cursor.length()),
});

const sanitize = (message: Message): void => {
  const { requiredSignatures, readonlySigned, readonlyUnsigned, keys, instructions, lookups } = message;
  const loaded = lookups.reduce((sum, { writable, readonly }) => sum + writable.length + readonly.length, 0);
  const total = keys.length + loaded;
  const headerHolds =
    requiredSignatures >= 1 &&
    readonlySigned < requiredSignatures &&
    requiredSignatures + readonlyUnsigned <= keys.length &&
    total <= 256 &&
    lookups.every(({ writable, readonly }) => writable.length + readonly.length > 0);
  const indexesHold = instructions.every(
    ({ program, accounts }) =>
      program > 0 && program < keys.length && accounts.every((account) => account < total),
  );
  if (!headerHolds || !indexesHold) {
    throw new WireError('Transaction failed to sanitize accounts offsets correctly');
  }
};

const shortLength = (length: number): Uint8Array =>
  length < 0x80 ? Uint8Array.of(length) : Uint8Array.of((length & 0x7f) | 0x80, length >> 7);

interface Cursor {
  byte(): number;
  length(): number;
  take(count: number): Buffer;
  list<T>(read: () => T): T[];
  rest(): Buffer;
}

const createCursor = (source: Uint8Array): Cursor => {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  let offset = 0;
  const byte = (): number => {
    const value = bytes[offset++];
    if (value === undefined) throw new WireError('unexpected end of bytes');
    return value;
  };
  const length = (): number => {
    let value = 0;
    for (let shift = 0; shift < 21; shift += 7) {
      const part = byte();
      if (part === 0 && shift > 0) throw new WireError('length is not in its shortest form');
      value |= (part & 0x7f) << shift;
      if ((part & 0x80) === 0) return value;
    }
    throw new WireError('length is too long');
  };
  const take = (count: number): Buffer => {
    if (offset + count > bytes.length) throw new WireError('unexpected end of bytes');
    offset += count;
    return bytes.subarray(offset - count, offset);
  };
  return {
    byte,
    length,
    take,
    list: (read) => Array.from({ length: length() }, read),
    rest: () => bytes.subarray(offset),
  };
};
