// The requests and keys that a stop ended for good, in the words that the dashboard and the command share.

export interface Ended {
  /** Requests that waited for the owner. */
  declined: number;
  /** Delegated keys. */
  keys: readonly { label: string }[];
}

/** A sentence; empty where the stop ended nothing. */
export const endedText = ({ declined, keys }: Ended): string => {
  const parts = [
    ...(declined === 0
      ? []
      : [declined === 1 ? '1 waiting request was declined' : `${declined} waiting requests were declined`]),
    ...(keys.length === 0
      ? []
      : [
          `${keys.length === 1 ? '1 delegated key has' : `${keys.length} delegated keys have`} ended (${keys.map(({ label }) => label).join(', ')})`,
        ]),
  ];
  return parts.length === 0 ? '' : `${parts.join(', and ')}, for good.`;
};
