// The sums of transfers, in the same words on the page and in the command; apart from the outcomes, which the first screen
// needs.
import type { Reply } from '../schemas.ts';
import { outcomes } from './outcomes.ts';

/** What was spent, `amount`, is said before these. */
type Totals = Pick<Reply<'totals'>, 'amount' | 'flows' | 'undelivered'>;

/** The sums of totals that are there, in words; those of refusals lack the amounts of what an entry only counts. */
export const sumsIn = ({ amount: spent, flows: by, undelivered }: Totals) =>
  [
    { label: 'In', sign: '+', ...by.in },
    { label: 'Out', sign: '−', ...by.out },
    { label: 'Between wallets', sign: '', ...by.own },
    { label: outcomes.undelivered.label, sign: '', ...undelivered },
    { label: outcomes.waiting.label, sign: '', ...by.waiting },
    { label: outcomes.failed.label, sign: '', ...by.failed },
    { label: outcomes.refused.label, sign: '', ...by.refused, amount: null },
  ].filter(({ label, amount, count }) => count > 0 && (label !== 'Out' || amount !== spent));
