// The cold treasury while its allowance is being changed: draws pause, and the change is followed until it is final.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { ask } from '../../../api/owner.ts';

export type Change = NonNullable<Reply<'getAllowance'>['change']>;

const renewMs = 60_000;
const lookMs = 1_000;

// One after the other: an end that overtakes its beginning would leave draws paused.
let turn: Promise<unknown> = Promise.resolve();
const setPaused = (paused: boolean): void => {
  // A lost end costs two minutes: then the pause is over by itself.
  turn = turn.then(() => ask('pauseDrawing', { body: { paused } })).catch(() => {});
};

/** @param isNeeded whether a new allowance may still be signed here, or is not final */
export const usePausedDraws = (isNeeded: boolean): void => {
  useEffect(() => {
    if (!isNeeded) return;
    setPaused(true);
    const renewal = setInterval(() => setPaused(true), renewMs);
    const leave = (): void => setPaused(false);
    addEventListener('pagehide', leave);
    return () => {
      clearInterval(renewal);
      removeEventListener('pagehide', leave);
      leave();
    };
  }, [isNeeded]);
};

/** The change that was sent from this page; null before. `follow` begins with the one that was sent just now. */
export const useChange = (): { change: Change | null; follow: () => void } => {
  const [isSent, setSent] = useState(false);
  const { data, refetch } = useQuery({
    queryKey: ['getAllowance', 'followed'],
    queryFn: () => ask('getAllowance'),
    enabled: isSent,
    networkMode: 'always',
    gcTime: 0,
    refetchInterval: ({ state: { data: last } }) => (last?.change?.state === 'sent' ? lookMs : false),
  });
  const follow = (): void => {
    setSent(true);
    void refetch();
  };
  return { change: isSent ? (data?.change ?? null) : null, follow };
};
