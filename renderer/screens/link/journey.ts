// To the identity provider and back. Credentials are removed from the URL and the history at once.
import type { Reply } from '../../../server/contract/schemas.ts';
import { arrivalOf, type Arrival, type Journey } from './arrival.ts';

const journeyKey = 'treasury-link-journey';

export const leaveFor = (token: string, { url, state }: Reply<'askProvider'>): void => {
  sessionStorage.setItem(journeyKey, JSON.stringify({ token, state } satisfies Journey));
  location.assign(url);
};

export const arrive = (): Arrival => {
  const kept = sessionStorage.getItem(journeyKey);
  const journey = kept === null ? null : (JSON.parse(kept) as Journey);
  const arrival = arrivalOf(location.search, location.hash, journey);
  sessionStorage.removeItem(journeyKey);
  const { token } = arrival;
  history.replaceState(null, '', token === null ? '/link' : `/link?token=${encodeURIComponent(token)}`);
  return arrival;
};
