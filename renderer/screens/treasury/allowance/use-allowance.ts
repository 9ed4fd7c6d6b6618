// The cold wallet while its allowance is being changed: draws pause, and the change is followed until it is final.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { ask } from '../../../api/owner.ts';

export type Change = NonNullable<Reply<'getAllowance'>['change']>;

const renewMs = 60_000;
const lookMs = 1_000;

/** Another tab's page pauses draws by itself. */
export const page = `page-${crypto.randomUUID()}`;

// One after the other: an end that overtakes its beginning would leave draws paused.
let turn: Promise<unknown> = Promise.resolve();
const setPaused = (paused: boolean): void => {
  // A lost end costs two minutes: then the pause is over by itself.
  turn = turn.then(() => ask('pauseDrawing', { body: { paused, page } })).catch(() => {});
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

/** The change that was sent from this page, or that may still land; null: none. `follow` begins with one sent just now. */
export const useChange = (): { change: Change | null; follow: () => void } => {
  const [isSent, setSent] = useState(false);
  const { data, refetch } = useQuery({
    queryKey: ['getAllowance', 'followed'],
    queryFn: () => ask('getAllowance'),
    networkMode: 'always',
    gcTime: 0,
    refetchInterval: ({ state: { data: last } }) => (mayLand(last?.change) ? lookMs : false),
  });
  const follow = (): void => {
    setSent(true);
    void refetch();
  };
  const change = data?.change ?? null;
  return { change: isSent || mayLand(change) ? change : null, follow };
};

/** Whether the last one, or one before it, is not decided. */
const mayLand = (change: Change | null | undefined): boolean =>
  change != null && (change.state === 'sent' || change.earlier !== null);
