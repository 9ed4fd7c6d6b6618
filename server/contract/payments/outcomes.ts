// The outcome of a transfer, its kind and its sign, in the same words on every screen, in the command and in a statement.
import type { kinds as kindNames, statuses } from '../fields.ts';

export type Kind = (typeof kindNames)[number];
export type Status = (typeof statuses)[number];

interface Word {
  label: string;
  meaning: string;
}

export const outcomes = {
  paid: { label: 'Paid', meaning: 'Paid and final.' },
  done: { label: 'Done', meaning: 'Done and final.' },
  settling: {
    label: 'Settling',
    meaning: 'On its way. It is final within about half a minute, and counts as spent already.',
  },
  undelivered: {
    label: 'Not delivered',
    meaning: 'Paid, but the seller did not deliver.',
  },
  waiting: {
    label: 'Waiting',
    meaning: 'It needs your approval. Nothing is set aside for it yet.',
  },
  declined: {
    label: 'Declined',
    meaning:
      'It waited for you. You, a stop or a change of the rules declined it, or nobody answered in time. Nothing was paid.',
  },
  refused: { label: 'Refused', meaning: 'Nothing was paid.' },
  failed: { label: 'Failed', meaning: 'Nothing was paid.' },
  unknown: {
    label: 'Unknown',
    meaning: 'We don’t know yet whether this went through. Its amount stays set aside until the chain shows.',
  },
} as const satisfies Record<string, Word>;

export type Outcome = keyof typeof outcomes;

/** The codes of what was declined while it waited for the owner; any other refusal is the rules'. */
export const declinedBy: readonly string[] = ['approval_denied', 'approval_expired', 'approval_cancelled'];

export interface Shown {
  kind: Kind;
  status: Status;
  state: string;
  note: string | null;
  failure: { code: string } | null;
}

/** A payment of an agent's, for which its limits count. */
export const isSpending = ({ kind }: { kind: Kind }): boolean => kind === 'payment' || kind === 'charge';

/** Between the treasury and an agent. */
export const isOwnMove = (kind: Kind): boolean => kind === 'allocation' || kind === 'recall';

export const outcomeOf = ({ kind, status, state, note, failure }: Shown): Outcome => {
  switch (status) {
    case 'confirmed':
      // Only what the seller failed to deliver has a note.
      if (note !== null) return 'undelivered';
      if (state === 'seen') return 'settling';
      return isSpending({ kind }) ? 'paid' : 'done';
    case 'denied':
      return declinedBy.includes(failure?.code ?? '') ? 'declined' : 'refused';
    case 'pending':
      return 'settling';
    case 'awaiting_approval':
      return 'waiting';
    default:
      return status;
  }
};

/** The word for it, and its meaning. A refund is shown by its word and its sign. */
export const becameOf = (of: Shown): Word => {
  const outcome = outcomeOf(of);
  const isRefund = of.kind === 'refund' && outcome === 'done';
  return isRefund ? { label: 'Refunded', meaning: 'Paid back and final.' } : outcomes[outcome];
};

/** A transfer's title in a list: the service, or the agent whose funds moved. */
export const titleOf = (
  { kind, service, agentId }: { kind: Kind; service: string; agentId: string | null },
  nameOf: (agentId: string) => string,
): string => {
  if (agentId === null) return service;
  if (kind === 'allocation') return `Funds for ${nameOf(agentId)}`;
  if (kind === 'recall') return `Funds back from ${nameOf(agentId)}`;
  return kind === 'refund' ? service.replace(/^Refund of /, '') : service;
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

export const flows = ['in', 'out', 'own', 'refused', 'failed', 'waiting'] as const;
/** The way of a transfer's amount: into the owner's wallets, out of them, between two of them, or nowhere. */
export type Flow = (typeof flows)[number];

export const flowOf = ({ kind, status }: Pick<Shown, 'kind' | 'status'>): Flow => {
  if (status === 'denied') return 'refused';
  if (status === 'failed') return 'failed';
  if (status === 'awaiting_approval') return 'waiting';
  if (isOwnMove(kind)) return 'own';
  return kind === 'refund' ? 'in' : 'out';
};

/** Before an amount. The treasury's anchors move nothing. */
export const signOf = (transfer: Pick<Shown, 'kind' | 'status'>): '+' | '−' | '' => {
  const flow = flowOf(transfer);
  if (flow === 'in') return '+';
  return flow === 'out' && transfer.kind !== 'anchor' ? '−' : '';
};

export const isZero = (decimal: string): boolean => /^0(\.0*)?$/.test(decimal);

/** A facilitator of the seller's pays the fee of what it submits. */
export const isFeeSellers = ({ feeSol, purchase }: { feeSol: string; purchase: object | null }): boolean =>
  purchase !== null && isZero(feeSol);

/** By which what was spent can be summed. */
export const groupings = {
  agent: 'Agent',
  group: 'Group',
  service: 'Service',
  model: 'Image model',
  day: 'Day',
  month: 'Month',
} as const;

/** Where the owner approved something. */
export const placesOfApproval = {
  dashboard: 'On the dashboard.',
  command: 'With the command.',
  phone: 'From a phone.',
  standing: 'By a standing approval.',
} as const;
