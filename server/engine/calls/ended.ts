// The requests and keys that a stop ended for good, as its reply has them.
import type { Reply } from '../../contract/schemas.ts';
import type { Stopped } from '../payment/owner/stop.ts';

export const endedView = ({
  approvals,
  keys,
}: Pick<Stopped, 'approvals' | 'keys'>): Reply<'kill'>['ended'] => ({
  declined: approvals.length,
  keys: keys.map(({ id, label }) => ({ keyId: id, label })),
});
