// How numbers and addresses are written on every screen.

/** Groups thousands, keeps all decimals, and writes a true minus sign: `1,234.50`, `−0.000001`. */
export const groupDigits = (decimal: string): string => {
  const [whole = '0', fraction = '00'] = decimal.split('.');
  return `${whole.replace('-', '−').replaceAll(/\B(?=(\d{3})+$)/g, ',')}.${fraction}`;
};

const usualDecimals = 4;
const leastDecimals = 2;
/** From this many digits before the point on, further decimals say nothing. */
const longWhole = 5;

/**
 * An amount as a figure: at most four decimals that say something, of which zeros at the front of a small amount are none.
 * It is cut and never rounded up, so that nothing seems to hold more than it does: `34.1249`, `0.000001`.
 */
export const figureOf = (decimal: string): string => {
  const [whole = '0', fraction = ''] = decimal.split('.');
  const isSmall = /^-?0*$/.test(whole);
  const zeros = isSmall ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  const most = whole.replace('-', '').length >= longWhole ? leastDecimals : zeros + usualDecimals;
  const kept = fraction.slice(0, most).replace(/0+$/, '');
  return groupDigits(`${whole}.${kept.padEnd(leastDecimals, '0')}`);
};

/** The decimals of a column of these amounts, in which the points stand below each other. */
export const placesIn = (decimals: readonly string[]): number =>
  Math.max(leastDecimals, ...decimals.map((one) => figureOf(one).split('.')[1]?.length ?? 0));

/** The same for transfers, by their amounts of USDC. */
export const placesOf = (transfers: readonly { amount: string; currency: string }[]): number =>
  placesIn(transfers.flatMap(({ amount, currency }) => (currency === 'USDC' ? [amount] : [])));

/** The ends of an address or a signature: `7Xk2…9fQa`. */
export const shorten = (text: string): string =>
  text.length <= 12 ? text : `${text.slice(0, 4)}…${text.slice(-4)}`;

/** `1 payment`, `2 payments`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** `2 payments`, `2 payments, 5 model requests` or `5 model requests`. */
export const countedUse = ({ payments, requests }: { payments: number; requests: number }): string =>
  [
    ...(payments > 0 || requests === 0 ? [counted(payments, 'payment')] : []),
    ...(requests > 0 ? [counted(requests, 'model request')] : []),
  ].join(', ');
