// The time zone whose days a request means.
import type { Store } from '../ports.ts';

interface Zoned {
  store: { policies: Pick<Store['policies'], 'zone'> };
}

/** The owner's time zone now. */
export const zoneOf = ({ store }: Zoned): string => store.policies.zone() ?? 'UTC';

/** @param asked an IANA name, or `owner`; undefined: UTC */
export const zoneNamed = (context: Zoned, asked: string | undefined): string =>
  asked === 'owner' ? zoneOf(context) : (asked ?? 'UTC');
