// A rough hint at how hard a passphrase is to guess. It looks nothing up in lists of known passphrases.

export const shortestPassphrase = 8;

export type Strength = 'short' | 'weak' | 'fair' | 'strong';

const alphabets: readonly [RegExp, number][] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/\d/, 10],
  [/[^a-zA-Z\d]/, 20],
];
const fairBits = 50;
const strongBits = 75;

/** Counts at most 1.5 times the number of distinct characters: `aaaaaaaaaaaa` is long and weak. */
export const passphraseStrength = (text: string): Strength => {
  if (text.length < shortestPassphrase) return 'short';
  const size = alphabets.reduce((sum, [pattern, letters]) => (pattern.test(text) ? sum + letters : sum), 0);
  const counted = Math.min(text.length, new Set(text).size * 1.5);
  const bits = counted * Math.log2(Math.max(2, size));
  if (bits < fairBits) return 'weak';
  return bits < strongBits ? 'fair' : 'strong';
};
