import { useOwner } from '../../stores/queries.ts';
import { timeZone } from '../time.ts';

/** The owner's time zone; until it is read, this machine's. */
export const useZone = (): string => useOwner('getTimeZone').data?.timeZone ?? timeZone();
