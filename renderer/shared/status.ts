// The outcomes of a transfer in the colors of the page.
import type { Outcome } from '../../server/contract/payments/outcomes.ts';

export * from '../../server/contract/payments/outcomes.ts';

export const colors: Readonly<Record<Outcome, string>> = {
  paid: 'teal',
  done: 'teal',
  settling: 'blue',
  undelivered: 'orange',
  waiting: 'yellow',
  declined: 'gray',
  refused: 'gray',
  failed: 'red',
  unknown: 'grape',
};
