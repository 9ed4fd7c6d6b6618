// Payments that are on their way: they count as spent already, and are not yet in the sums of what was paid.
import { useMemo } from 'react';
import { isSpending } from '../../../server/contract/payments/outcomes.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { useOwner } from '../../stores/queries.ts';

type Entry = Reply<'activity'>['entries'][number];
export type Settling = Pick<Entry, 'agentId' | 'serviceId' | 'service' | 'amount' | 'timestamp'>;

/** What the seller has delivered is in these sums already. */
const isLacking = (entry: Entry): boolean => !entry.delivered && isSpending(entry);

const none: readonly Entry[] = [];

/** Newest first. What nobody can say yet is counted as well: its amount stays set aside. */
export const useSettling = (): readonly Settling[] => {
  const pending = useOwner('activity', { query: { status: 'pending', limit: '200' } }).data?.entries ?? none;
  const unknown = useOwner('activity', { query: { status: 'unknown', limit: '200' } }).data?.entries ?? none;
  return useMemo(() => [...pending, ...unknown].filter(isLacking), [pending, unknown]);
};
