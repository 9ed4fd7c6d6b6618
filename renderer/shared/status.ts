// The label and colour of each status, the same on every screen.
import type { Reply } from '../../server/contract/schemas.ts';

export type Status = Reply<'getTransfer'>['status'];
export type Kind = Reply<'getTransfer'>['kind'];

export const statuses: Record<Status, { label: string; color: string; meaning: string }> = {
  pending: { label: 'Pending', color: 'blue', meaning: 'On its way; its amount is reserved.' },
  awaiting_approval: {
    label: 'Needs you',
    color: 'yellow',
    meaning: 'It waits for your word. Nothing is reserved.',
  },
  confirmed: { label: 'Confirmed', color: 'teal', meaning: 'Paid, and seen on the chain.' },
  failed: { label: 'Failed', color: 'red', meaning: 'Nothing was paid.' },
  denied: { label: 'Refused', color: 'orange', meaning: 'The policy or you refused it. Nothing was paid.' },
  unknown: {
    label: 'Unknown',
    color: 'grape',
    meaning: 'Nobody can say yet whether it was paid. Its amount stays reserved until the chain tells.',
  },
};

export const kinds: Record<Kind, string> = {
  payment: 'Payment',
  charge: 'Charge',
  allocation: 'Allocation',
  recall: 'Recall',
  withdrawal: 'Withdrawal',
  refund: 'Refund',
};
