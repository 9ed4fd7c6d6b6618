// The withdrawals so far, and the recipients that follow from them: own wallets, and those that were sent money before.
import { useQuery } from '@tanstack/react-query';
import { recipientsOf, withdrawalsIn, type Recipient } from '../../../server/contract/treasury/recipients.ts';
import { ask } from '../../api/owner.ts';
import { dayOf } from '../../shared/time.ts';
import { useOwner } from '../../stores/queries.ts';
import { useTreasury } from '../../stores/treasury.ts';

/** Newest first. */
export const useWithdrawals = () =>
  useQuery({
    queryKey: ['activity', 'withdrawals'],
    queryFn: () => withdrawalsIn((query) => ask('activity', { query })),
  });

export const useRecipients = (): readonly Recipient[] => {
  const agents = useTreasury(({ snapshot }) => snapshot?.agents) ?? [];
  const cold = useOwner('getCold').data?.cold?.address ?? null;
  const withdrawals = useWithdrawals().data ?? [];
  const labels = useOwner('listLabels').data?.labels ?? [];
  return recipientsOf({ cold, agents, withdrawals, labels, when: dayOf });
};
