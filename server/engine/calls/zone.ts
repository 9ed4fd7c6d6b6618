// The time zone whose days a request means.
import { localDays } from '../../lib/local-days.ts';
import type { Store } from '../ports.ts';

interface Zoned {
  store: { policies: Pick<Store['policies'], 'zone'> };
}

/** The owner's time zone now. */
export const zoneOf = ({ store }: Zoned): string => store.policies.zone() ?? 'UTC';

/** @param asked an IANA name, or `owner`; undefined: UTC */
export const zoneNamed = (context: Zoned, asked: string | undefined): string =>
  asked === 'owner' ? zoneOf(context) : (asked ?? 'UTC');

/** The last 30 days of the owner's zone, today included, as every screen counts them. */
export const lately = (context: Zoned, now: number): { days: number; from: number } => ({
  days: lateDays,
  from: localDays(zoneOf(context), lateDays, now)[0]?.from ?? now,
});

const lateDays = 30;
