// The link session, polled until it is decided, while the page is visible.
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { Reply } from '../../../server/contract/schemas.ts';
import { askLink } from '../../api/link.ts';
import { pauseAfter } from './poll-pause.ts';

export type Link = Reply<'getLink'>;

export const useLink = (token: string): UseQueryResult<Link> =>
  useQuery({
    queryKey: ['getLink', token],
    queryFn: () => askLink('getLink', token),
    retry: false,
    // The treasury is on this machine, so being offline does not matter.
    networkMode: 'always',
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    refetchInterval: ({ state: { data, error } }) =>
      data === undefined || data.status === 'pending' ? pauseAfter(error, Math.random()) : false,
  });

export const useSignInMethods = (token: string): UseQueryResult<Reply<'signInMethods'>> =>
  useQuery({
    queryKey: ['signInMethods'],
    queryFn: () => askLink('signInMethods', token),
    networkMode: 'always',
  });
