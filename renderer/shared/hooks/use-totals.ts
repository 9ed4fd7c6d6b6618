// The sums of the transfers that a filter chooses, read again after events; for at most a tenth of the time, since those of a long past
// take long.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Ask } from '../../../server/contract/owner-api.ts';
import { ask } from '../../api/owner.ts';
import { onOwnerEvent } from '../../stores/connection.ts';

const leastPauseMs = 300;
const pausesPerRead = 9;

export const useTotals = (query: NonNullable<Ask<'totals'>['query']>) => {
  const pauseMs = useRef(leastPauseMs);
  const result = useQuery({
    queryKey: ['live totals', query],
    queryFn: async () => {
      const begin = performance.now();
      const totals = await ask('totals', { query });
      pauseMs.current = Math.max(leastPauseMs, pausesPerRead * (performance.now() - begin));
      return totals;
    },
    // Events are not followed while the sums are not shown.
    refetchOnMount: 'always',
  });
  const { refetch } = result;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readAgain = (): void => {
      timer = undefined;
      void refetch();
    };
    const stop = onOwnerEvent(({ type }) => {
      if (type === 'transfer') timer ??= setTimeout(readAgain, pauseMs.current);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [refetch]);
  return result;
};
