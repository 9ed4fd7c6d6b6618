// The words with which an owner has an agent ask a seller once more for goods that are paid. The treasury keeps a request's
// hash and not its body, so that only the agent can ask.
import type { Transfer } from '../../../server/contract/payments/steps.ts';

export const askAgain = ({ id, purchase }: Pick<Transfer, 'id' | 'purchase'>): string => {
  const call = purchase === null ? 'the call' : `${purchase.method} ${purchase.url}`;
  return `Repeat ${call} exactly as before, with the Idempotency-Key of payment ${id}. It is paid: the seller is shown the same payment once more, and nothing is paid again.`;
};
