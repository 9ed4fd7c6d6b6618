// Money is an integer of the asset's smallest unit. Decimal strings exist only at the borders.

declare const usdcBrand: unique symbol;
declare const lamportsBrand: unique symbol;

/** micro-USDC: 1 USDC is 1_000_000n. */
export type Usdc = bigint & { readonly [usdcBrand]: true };
/** lamports: 1 SOL is 1_000_000_000n. */
export type Lamports = bigint & { readonly [lamportsBrand]: true };

export const USDC_DECIMALS = 6;
const SOL_DECIMALS = 9;

export const usdcPattern = /^(0|[1-9]\d{0,8})(\.\d{1,6})?$/;
export const solPattern = /^(0|[1-9]\d{0,8})(\.\d{1,9})?$/;

export const usdc = (units: bigint): Usdc => units as Usdc;
export const lamports = (units: bigint): Lamports => units as Lamports;
export const addUsdc = (a: Usdc, b: Usdc): Usdc => usdc(a + b);
export const subUsdc = (a: Usdc, b: Usdc): Usdc => usdc(a - b);
export const atLeastZero = (units: bigint): bigint => (units > 0n ? units : 0n);

/** Reads a decimal string such as `1.50`; null when it is not one (at most nine whole and six fractional digits). */
export const parseUsdc = (text: string): Usdc | null =>
  usdcPattern.test(text) ? usdc(parseUnits(text, USDC_DECIMALS)) : null;

/** Reads a decimal string of SOL; null when it is not one (at most nine whole and nine fractional digits). */
export const parseSol = (text: string): Lamports | null =>
  solPattern.test(text) ? lamports(parseUnits(text, SOL_DECIMALS)) : null;

/** Prints at least two fractional digits and no further trailing zeros: `1.50`, `0.000001`. */
export const formatUsdc = (amount: Usdc): string => formatUnits(amount, USDC_DECIMALS);
export const formatSol = (amount: Lamports): string => formatUnits(amount, SOL_DECIMALS);
/** Cents of a dollar, as in `-0.01`. */
export const formatCents = (cents: bigint): string => formatUnits(cents, 2);

const parseUnits = (text: string, decimals: number): bigint => {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
};

const formatUnits = (units: bigint, decimals: number): string => {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '').padEnd(2, '0');
  return `${sign}${digits.slice(0, -decimals)}.${fraction}`;
};

/** Lamports without which an account does not exist: the chain refuses a fee that would leave less. */
export const accountReserveLamports = 890_880n;
