// The words about a stop for an agent that waits.
import type { Stop } from '../client/agent-news.ts';

/** A sentence to put behind another one; empty without a stop. */
export const stoppedMeanwhile = (stop: Stop | null): string =>
  stop === null ? '' : ` Meanwhile ${happened(stop)} Do not wait for it; tell your user.`;

const happened = ({ suspended, frozen, locked }: Stop): string => {
  if (frozen) return 'the owner stopped all payments.';
  if (suspended) return 'this agent was suspended: it pays nothing until the owner resumes it.';
  if (locked) return 'the treasury was locked: nothing is paid until the owner unlocks it.';
  return 'the treasury stopped all payments, since it cannot keep its records.';
};
