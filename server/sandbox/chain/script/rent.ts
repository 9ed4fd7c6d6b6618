// The deposit that every account keeps, and which changes of a balance it forbids.
import type { Account } from '../account.ts';

const lamportsPerByte = 6960n;
const overheadBytes = 128n;

/** Lamports that an account of so many bytes has to hold. */
export const rentExemption = (bytes: number): bigint => (overheadBytes + BigInt(bytes)) * lamportsPerByte;

export const isRentExempt = ({ lamports, data }: Pick<Account, 'lamports' | 'data'>): boolean =>
  lamports >= rentExemption(data.length);

type Held = Pick<Account, 'lamports' | 'data'>;

/** An account may be emptied or be rent exempt; one below its rent may only shrink in lamports. */
export const isRentKept = (before: Held, after: Held): boolean => {
  if (after.lamports === 0n || isRentExempt(after)) return true;
  const wasBelow = before.lamports > 0n && !isRentExempt(before);
  return wasBelow && after.data.length === before.data.length && after.lamports <= before.lamports;
};
