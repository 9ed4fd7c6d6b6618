// The requests and keys that a stop ended for good, as its reply has them.
import type { Reply } from '../../contract/schemas.ts';
import type { Stopped } from '../payment/owner/stop.ts';

export const endedView = ({ approvals, requests, keys }: Stopped): Reply<'kill'>['ended'] => ({
  declined: approvals.length,
  requests,
  keys: keys.map(({ id, label }) => ({ keyId: id, label })),
});
