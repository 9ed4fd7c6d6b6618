// How numbers and addresses are written on every screen.

/** Groups thousands and keeps all decimals: `1,234.50`, `0.000001`. */
export const groupDigits = (decimal: string): string => {
  const [whole = '0', fraction = '00'] = decimal.split('.');
  return `${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}.${fraction}`;
};

/** The ends of an address or a signature: `7Xk2…9fQa`. */
export const shorten = (text: string): string =>
  text.length <= 12 ? text : `${text.slice(0, 4)}…${text.slice(-4)}`;

/** `1 payment`, `2 payments`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** `a`, `a and b`, `a, b and c`. */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
