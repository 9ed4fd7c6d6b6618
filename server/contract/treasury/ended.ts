// The requests and keys that a stop ended for good, in the words that the dashboard and the command share.
import { listed } from '../listed.ts';

export interface Ended {
  /** Requests that waited for the owner. */
  declined: number;
  /** Requests to language models that were under way. */
  requests: number;
  /** Delegated keys. */
  keys: readonly { label: string }[];
}

/** A sentence; empty where the stop ended nothing. */
export const endedText = ({ declined, requests, keys }: Ended): string => {
  const labels = keys.map(({ label }) => label).join(', ');
  const parts = [
    some(declined, 'waiting request was declined', 'waiting requests were declined'),
    some(requests, 'request to a model was ended', 'requests to models were ended'),
    some(keys.length, `delegated key has ended (${labels})`, `delegated keys have ended (${labels})`),
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `${listed(parts)}, for good.`;
};

const some = (count: number, one: string, many: string): string =>
  count === 0 ? '' : `${count} ${count === 1 ? one : many}`;
