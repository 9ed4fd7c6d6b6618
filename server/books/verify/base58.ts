// Base58 without a dependency, for the verifier. The rest of the treasury uses a package.

const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The text as exactly `length` bytes; null when it is not base58 or has another length. */
export const fromBase58 = (text: string, length: number): Buffer | null => {
  if (text.length > length * 2) return null;
  let value = 0n;
  for (const digit of text) {
    const place = digits.indexOf(digit);
    if (place < 0) return null;
    value = value * 58n + BigInt(place);
  }
  // Each leading 1 is a byte of zero.
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  const hex = value === 0n ? '' : value.toString(16);
  const bytes = Buffer.from('00'.repeat(zeros) + (hex.length % 2 === 1 ? '0' : '') + hex, 'hex');
  return bytes.length === length ? bytes : null;
};

export const toBase58 = (bytes: Uint8Array): string => {
  let value = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; value > 0n; value /= 58n) text = `${digits[Number(value % 58n)]}${text}`;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text;
};
