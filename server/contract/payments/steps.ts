// The story of a transfer, with the times of its steps, in the words of the dashboard and of the command.
import type { Reply } from '../schemas.ts';
import { declinedBy, outcomes, placesOfApproval } from './outcomes.ts';

export type Transfer = Reply<'getTransfer'>;

export interface Step {
  title: string;
  /** Null for a step still to come. */
  at: string | null;
  note: string;
  /** It went wrong: the seller did not deliver, or the transfer ended without paying. */
  isFailed?: boolean;
  /** Its time is the chain’s, not ours. */
  isByChain?: boolean;
}

type Times = Transfer['times'];
type Passed = Exclude<keyof Times, 'ended'>;

const passed: Record<Passed, Omit<Step, 'at'>> = {
  asked: { title: 'Requested', note: '' },
  reserved: { title: 'Reserved', note: 'Counted as spent from here on.' },
  signed: { title: 'Signed', note: '' },
  sent: { title: 'Sent to the network', note: '' },
  block: { title: 'In a block', note: 'Time by the chain’s clock.', isByChain: true },
  seen: { title: 'Seen on the chain', note: '' },
};

const ends: Record<string, Omit<Step, 'at'>> = {
  final: { title: 'Final', note: 'It can no longer be reversed.' },
  failed: { title: 'Failed on the chain', note: 'Nothing was paid; the amount is free again.' },
  dead: {
    title: 'Never arrived',
    note: 'It has expired and can no longer arrive. Nothing was paid; the amount is free again.',
  },
  cancelled: { title: 'Never signed', note: 'It was stopped before signing. Nothing was paid.' },
  denied: { title: 'Refused', note: 'Nothing was paid.' },
};

const next: Record<string, Omit<Step, 'at'>> = {
  awaiting_approval: { title: 'Waiting for you', note: 'Approve or decline it under Approvals.' },
  reserved: { title: 'About to be signed', note: '' },
  signed: { title: 'About to be sent', note: '' },
  sent: { title: 'Waiting for the chain', note: 'Usually a second or two.' },
  seen: {
    title: 'Becomes final',
    note: 'Usually within half a minute. Until then it could still be reversed.',
  },
  unknown: {
    title: 'We don’t know yet',
    note: 'The amount stays reserved while we keep asking the chain. It is never paid twice.',
  },
};

type Told = Pick<Transfer, 'state' | 'times'> & Partial<Pick<Transfer, 'approved' | 'purchase' | 'failure'>>;

/** In the order of our own clock; the block, by the chain's, comes before its sighting. Future steps are last. */
export const stepsOf = (transfer: Told): Step[] => {
  const { state, times } = transfer;
  const own = (Object.keys(passed) as Passed[]).flatMap((name) => {
    const at = times[name];
    return at === null || name === 'block' ? [] : [{ ...passed[name], at }];
  });
  // Within a second, as it is shown, in the order in which they follow from each other.
  const secondOf = ({ at }: Pick<Step, 'at'>): number => Math.floor(Date.parse(at ?? '9999') / 1_000);
  const isRefusedAtOnce =
    state === 'denied' && secondOf({ at: times.asked }) === secondOf({ at: times.ended });
  const [asked = [], later = []] = [isRefusedAtOnce ? [] : own.slice(0, 1), own.slice(1)];
  const ordered = [
    ...asked,
    ...approvalIn(transfer),
    ...later,
    ...deliveryIn(transfer),
    ...endIn(transfer),
  ].toSorted((a, b) => secondOf(a) - secondOf(b));
  if (times.block !== null) {
    const seen = ordered.findIndex(({ title }) => title === passed.seen.title);
    ordered.splice(seen < 0 ? ordered.length : seen, 0, { ...passed.block, at: times.block });
  }
  const coming = next[state];
  return coming === undefined ? ordered : [...ordered, { ...coming, at: null }];
};

const endIn = ({ state, times, failure }: Told): Step[] => {
  const end = ends[state];
  if (end === undefined) return [];
  const title = declinedBy.includes(failure?.code ?? '') ? outcomes.declined.label : end.title;
  return [{ ...end, title, at: times.ended, isFailed: state !== 'final' }];
};

const approvalIn = ({ approved }: Told): Step[] => {
  if (approved === undefined || approved === null) return [];
  const { at, from } = approved;
  return from === 'standing'
    ? [{ title: 'You gave a standing approval', at, note: 'It covers this payment.' }]
    : [{ title: 'You approved it', at, note: from === null ? '' : placesOfApproval[from] }];
};

/** Of what the treasury asked for: the answer to the payment, and how often it was asked. */
const deliveryIn = ({ purchase }: Told): Step[] => {
  const { firstShownAt, answeredAt, status, error, shown } = purchase?.evidence ?? {};
  const shownOnce: Step[] =
    typeof firstShownAt === 'string'
      ? [{ title: 'Shown to the seller', at: firstShownAt, note: 'With the request that it pays for.' }]
      : [];
  if (typeof answeredAt !== 'string') return shownOnce;
  const asked = Number(shown) > 1 ? `It was asked ${Number(shown)} times.` : '';
  return [
    ...shownOnce,
    {
      title: typeof status === 'number' ? `The seller answered ${status}` : 'The seller did not answer',
      at: answeredAt,
      note: [typeof error === 'string' ? error : '', asked].filter((text) => text !== '').join(' '),
      isFailed: purchase?.delivery === 'undelivered',
    },
  ];
};
