// Reads the months and their sums again some seconds after money has moved: a month's sums are read from all its entries.
import { useEffect } from 'react';
import { onOwnerEvent } from '../../stores/connection.ts';
import { outdate } from '../../stores/queries.ts';

const pauseMs = 5_000;

export const useReadAgain = (): void => {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const off = onOwnerEvent(({ type }) => {
      if (timer !== undefined || (type !== 'transfer' && type !== 'deposit')) return;
      timer = setTimeout(() => {
        timer = undefined;
        outdate(['bookMonths', 'bookTotals', 'getAnchors']);
      }, pauseMs);
    });
    return () => {
      off();
      clearTimeout(timer);
    };
  }, []);
};
