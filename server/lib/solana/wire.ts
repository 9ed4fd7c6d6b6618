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

interface Account {
  readonly key: Uint8Array;
  readonly writable: boolean;
  readonly signer?: boolean;
}

export interface Instruction {
  readonly program: Uint8Array;
  readonly accounts: readonly Account[];
  readonly data: Uint8Array;
}

/**
 * The bytes that each signer signs, without lookup tables; the payer of the fee is the first signer.
 * @throws WireError when the blockhash or a key is not 32 bytes: a longer one would write what follows it, so that an RPC
 * could add instructions of its own to what is signed. And when the message would be larger than a packet
 */
export const encodeMessage = (
  payer: Uint8Array,
  blockhash: Uint8Array,
  instructions: readonly Instruction[],
  version: Message['version'] = 'legacy',
): Buffer => {
  const accounts = mergedAccounts(payer, instructions);
  if (blockhash.length !== 32) throw new WireError('the blockhash is not 32 bytes');
  if (accounts.some(({ key }) => key.length !== 32)) throw new WireError('an address is not 32 bytes');
  const keys = accounts.map(({ key }) => keyText(key));
  const indexOf = (key: Uint8Array): number => keys.indexOf(keyText(key));
  const signers = accounts.filter(({ signer }) => signer);
  const others = accounts.filter(({ signer }) => !signer);
  const compiled = instructions.map(({ program, accounts: named, data }) =>
    Buffer.concat([
      Buffer.of(indexOf(program)),
      encodeLength(named.length),
      Buffer.from(named.map(({ key }) => indexOf(key))),
      encodeLength(data.length),
      data,
    ]),
  );
  const message = Buffer.concat([
    Buffer.from(version === 0 ? [versionFlag] : []),
    Buffer.of(signers.length, countReadonly(signers), countReadonly(others)),
    encodeList(accounts.map(({ key }) => key)),
    blockhash,
    encodeList(compiled),
    version === 0 ? encodeLength(0) : Buffer.alloc(0),
  ]);
  if (message.length > maxTransactionBytes) throw new WireError('the message is larger than a packet');
  return message;
};

/** The transaction with the signatures of its signers, in their order. */
export const encodeTransaction = (signatures: readonly Uint8Array[], message: Uint8Array): Buffer =>
  Buffer.concat([encodeList(signatures), message]);

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

/** Each account once, with all rights that it needs: signers first, and writable ones before others, as web3.js orders them. */
const mergedAccounts = (payer: Uint8Array, instructions: readonly Instruction[]): Account[] => {
  const named = instructions.flatMap(({ program, accounts }): Account[] => [
    { key: program, writable: false },
    ...accounts,
  ]);
  const merged = new Map<string, Account>();
  for (const { key, writable, signer = false } of [{ key: payer, writable: true, signer: true }, ...named]) {
    const known = merged.get(keyText(key));
    merged.set(keyText(key), {
      key,
      writable: writable || known?.writable === true,
      signer: signer || known?.signer === true,
    });
  }
  const rank = ({ signer, writable }: Account): number => (signer ? 0 : 2) + (writable ? 0 : 1);
  return [...merged.values()].toSorted((a, b) => rank(a) - rank(b));
};

const countReadonly = (accounts: readonly Account[]): number =>
  accounts.filter(({ writable }) => !writable).length;

const encodeList = (items: readonly Uint8Array[]): Buffer =>
  Buffer.concat([encodeLength(items.length), ...items]);

/** A "compact-u16": seven bits a byte, the lowest first. No list of a message needs a third byte. */
const encodeLength = (length: number): Buffer =>
  length < 0x80 ? Buffer.of(length) : Buffer.of((length & 0x7f) | 0x80, length >> 7);

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
