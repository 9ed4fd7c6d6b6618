// The outcome of a transfer, in the same words and colours on every screen.
import type { Reply } from '../../server/contract/schemas.ts';

type Transfer = Reply<'activity'>['entries'][number];
export type Kind = Transfer['kind'];
/** The treasury's own status, by which it can be asked for transfers. */
export type Status = Transfer['status'];

interface Word {
  label: string;
  color: string;
  meaning: string;
  /** Null: several. */
  status: Status | null;
}

export const outcomes = {
  paid: { label: 'Paid', color: 'teal', meaning: 'Paid, and final.', status: 'confirmed' },
  done: { label: 'Done', color: 'teal', meaning: 'Done, and final.', status: 'confirmed' },
  settling: {
    label: 'Settling',
    color: 'blue',
    meaning: 'On its way. It is final within about half a minute, and counts as spent already.',
    status: null,
  },
  undelivered: {
    label: 'Not delivered',
    color: 'orange',
    meaning: 'Paid, but the seller did not deliver.',
    status: 'confirmed',
  },
  waiting: {
    label: 'Waiting',
    color: 'yellow',
    meaning: 'It needs your approval. Nothing is set aside for it yet.',
    status: 'awaiting_approval',
  },
  declined: {
    label: 'Declined',
    color: 'gray.5',
    meaning: 'You declined it, or did not answer in time. Nothing was paid.',
    status: 'denied',
  },
  cancelled: {
    label: 'Cancelled',
    color: 'gray.5',
    meaning: 'A stop or a change of the rules ended the request before you decided. Nothing was paid.',
    status: 'denied',
  },
  refused: {
    label: 'Refused',
    color: 'gray.5',
    meaning: 'Blocked by a limit or a stop. Nothing was paid.',
    status: 'denied',
  },
  failed: { label: 'Failed', color: 'red', meaning: 'Nothing was paid.', status: 'failed' },
  unknown: {
    label: 'Unknown',
    color: 'grape',
    meaning: 'We don’t know yet whether this went through. Its amount stays set aside until the chain shows.',
    status: 'unknown',
  },
} as const satisfies Record<string, Word>;

export type Outcome = keyof typeof outcomes;

/** Refusals that are not the rules'. */
const refusedBy: Readonly<Record<string, Outcome>> = {
  approval_denied: 'declined',
  approval_expired: 'declined',
  approval_cancelled: 'cancelled',
};

export type Shown = Pick<Transfer, 'kind' | 'status' | 'state' | 'note'> & {
  failure: { code: string } | null;
};

export const outcomeOf = ({ kind, status, state, note, failure }: Shown): Outcome => {
  switch (status) {
    case 'confirmed':
      // Only what the seller failed to deliver has a note.
      if (note !== null) return 'undelivered';
      if (state === 'seen') return 'settling';
      return kind === 'payment' || kind === 'charge' ? 'paid' : 'done';
    case 'denied':
      return refusedBy[failure?.code ?? ''] ?? 'refused';
    case 'pending':
      return 'settling';
    case 'awaiting_approval':
      return 'waiting';
    default:
      return status;
  }
};

/** A transfer's title in a list: the service, or the agent whose funds moved. */
export const titleOf = (
  { kind, service, agentId }: Pick<Transfer, 'kind' | 'service' | 'agentId'>,
  nameOf: (agentId: string) => string,
): string => {
  if (agentId === null) return service;
  if (kind === 'allocation') return `Funds for ${nameOf(agentId)}`;
  return kind === 'recall' ? `Funds back from ${nameOf(agentId)}` : service;
};

export const kinds: Record<Kind, string> = {
  payment: 'Payment',
  charge: 'Picture',
  allocation: 'Funding',
  recall: 'Funds taken back',
  withdrawal: 'Withdrawal',
  refund: 'Refund',
  anchor: 'Anchor of the books',
};
