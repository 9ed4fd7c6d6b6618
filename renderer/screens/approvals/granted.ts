// Tells the owner the result of an approval: whether it could still be carried out.
import type { Reply } from '../../../server/contract/schemas.ts';
import { notifyDone, notifyFailure } from '../../shared/notify.ts';

type Granted = Reply<'grantApproval'>;
export type Created = { agentId: string } & NonNullable<Granted['created']>;

const done: Record<Granted['kind'], string> = {
  payment: 'Approved. The payment is on its way.',
  policy: 'Approved. The new policy is in force.',
  allocate: 'Approved. The funds are on their way to the agent.',
  deploy: 'Approved. The agent is ready.',
  resume: 'Approved. The agent may pay again.',
};

export const announceGrant = ({ kind, status, result }: Granted): void => {
  if (status === 'granted') return notifyDone(done[kind]);
  const refusal = result?.['refusal'];
  const reason = typeof refusal === 'string' ? refusal : 'This no longer fits the agent’s limits.';
  notifyFailure('Nothing was done')(new Error(reason));
};
