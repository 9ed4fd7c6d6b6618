// Finds the signed part of a serialized transaction: legacy, or version 0.
// https://solana.com/docs/core/transactions

/** The message that the payer signed; null unless the bytes are one whole transaction and nothing more. */
export const signedMessage = (wire: Uint8Array): Uint8Array | null => {
  let at = 0;
  /** A "compact-u16": seven bits a byte, the lowest first. */
  const length = (): number => {
    let value = 0;
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = wire[at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  const skipList = (size: number): void => {
    const count = length();
    at += count * size;
  };
  const skipEach = (skip: () => void): void => {
    for (let left = length(); left > 0; left -= 1) skip();
  };

  skipList(64);
  const start = at;
  const version = wire[start] ?? 0;
  if (version > 0x80) return null;
  at += version === 0x80 ? 4 : 3;
  skipList(32);
  at += 32;
  skipEach(() => {
    at += 1;
    skipList(1);
    skipList(1);
  });
  if (version === 0x80)
    skipEach(() => {
      at += 32;
      skipList(1);
      skipList(1);
    });
  return at === wire.length ? wire.subarray(start) : null;
};
