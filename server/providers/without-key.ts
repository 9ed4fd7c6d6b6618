// Passes an answer on as it arrives, and cuts it before a secret in it, also one that lies across pieces.

/** Holds back only bytes that may begin the secret. @throws what `found` makes, once the secret is there */
export const withoutKey = async function* (
  pieces: AsyncIterable<Buffer>,
  key: string | undefined,
  found: () => Error,
): AsyncGenerator<Buffer> {
  const secret = Buffer.from(key ?? '');
  let held: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    if (secret.length === 0) {
      yield piece;
      continue;
    }
    const known = held.length === 0 ? piece : Buffer.concat([held, piece]);
    if (known.includes(secret)) throw found();
    const free = known.length - beginningAtEnd(known, secret);
    held = known.subarray(free);
    if (free > 0) yield known.subarray(0, free);
  }
  if (held.length > 0) yield held;
};

/** How many of the last bytes are the first of the secret. */
const beginningAtEnd = (bytes: Buffer, secret: Buffer): number => {
  for (let length = Math.min(secret.length - 1, bytes.length); length > 0; length -= 1)
    if (bytes.subarray(bytes.length - length).equals(secret.subarray(0, length))) return length;
  return 0;
};
