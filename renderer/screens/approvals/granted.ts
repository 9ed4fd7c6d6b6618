// Tells the owner the result of an approval: whether it could still be carried out.
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';
import { notifyDone, notifyFailure } from '../../shared/notify.ts';
import { refusalOf } from '../../../server/contract/refusals/refused-transfer.ts';

type Granted = Reply<'grantApproval'>;
export type Created = { agentId: string } & NonNullable<Granted['created']>;

const done: Record<Granted['kind'], string> = {
  payment: 'Approved. The payment is on its way.',
  policy: 'Approved. The new policy is in force.',
  allocate: 'Approved. The funds are on their way to the agent.',
  deploy: 'Approved. The agent is ready.',
  resume: 'Approved. The agent may pay again.',
  standing: 'Approved. Its requests no longer ask you.',
};

/** @param agentName by which the owner knows the agent */
export const announceGrant = async (granted: Granted, agentName: string): Promise<void> => {
  if (granted.status === 'granted') return notifyDone(done[granted.kind]);
  notifyFailure('Nothing was done')(new Error(await whyNot(granted, agentName)));
};

/** Of an approval that no longer fitted the limits when it was given. */
const whyNot = async ({ kind, shown, result }: Granted, agentName: string): Promise<string> => {
  if (kind === 'policy')
    return `The policy of ${agentName} has changed since it asked for this. ${agentName} can ask again.`;
  const transferId = String(shown['paymentId'] ?? result?.['transferId']);
  const transfer = await ask('getTransfer', { params: { transferId } }).catch(() => null);
  const refusal = transfer === null ? null : refusalOf(transfer, () => agentName);
  return refusal?.sentence ?? 'This no longer fits the agent’s limits.';
};
