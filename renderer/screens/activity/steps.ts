// The states that a transfer went through, with their times, in plain words.
import type { Reply } from '../../../server/contract/schemas.ts';

export type Transfer = Reply<'getTransfer'>;

export interface Step {
  title: string;
  /** Null for a step still to come. */
  at: string | null;
  note: string;
}

type Times = Transfer['times'];
type Passed = Exclude<keyof Times, 'ended'>;

const passed: Record<Passed, Omit<Step, 'at'>> = {
  asked: { title: 'Asked for', note: '' },
  reserved: { title: 'Reserved', note: 'From here it counted as spent.' },
  signed: { title: 'Signed', note: '' },
  sent: { title: 'Sent to the network', note: '' },
  block: { title: 'In a block', note: 'By the chain’s own clock.' },
  seen: { title: 'Seen on the chain', note: '' },
};

const ends: Record<string, Omit<Step, 'at'>> = {
  final: { title: 'Final', note: 'It can no longer be reversed.' },
  failed: { title: 'Failed on the chain', note: 'Nothing was paid; the amount is free again.' },
  dead: {
    title: 'Never arrived',
    note: 'It has expired and can no longer arrive. Nothing was paid; the amount is free again.',
  },
  cancelled: { title: 'Cancelled', note: 'It was never signed. Nothing was paid.' },
  denied: { title: 'Refused', note: 'Nothing was paid.' },
};

const next: Record<string, Omit<Step, 'at'>> = {
  awaiting_approval: { title: 'Waiting for you', note: 'Approve or deny it under Approvals.' },
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

/** In the order of the steps, not of their times, which come from different clocks; future steps are last. */
export const stepsOf = ({ state, times }: Pick<Transfer, 'state' | 'times'>): Step[] => {
  const steps: Step[] = (Object.keys(passed) as Passed[]).flatMap((name) => {
    const at = times[name];
    return at === null ? [] : [{ ...passed[name], at }];
  });
  const end = ends[state];
  if (end !== undefined) steps.push({ ...end, at: times.ended });
  const coming = next[state];
  return coming === undefined ? steps : [...steps, { ...coming, at: null }];
};
