// All that the engine can be asked, by route name; and the OwnerApi: the same with the owner as the caller, which the
// desktop's IPC and the HTTP routes both use.
import type { RouteName } from '../contract/routes.ts';
import { agentOperations, type AgentOperations } from './operations/agents.ts';
import { approvalOperations, type ApprovalOperations } from './operations/approvals.ts';
import { paymentOperations, type PaymentOperations } from './operations/payments.ts';
import { policyOperations, type PolicyOperations } from './operations/policies.ts';
import { transferOperations, type TransferOperations } from './operations/transfers.ts';
import { treasuryOperations, type TreasuryOperations } from './operations/treasury.ts';
import type { Answer, Call } from './ports.ts';
import type { EngineContext } from './api.ts';

export type Operations = AgentOperations &
  ApprovalOperations &
  PaymentOperations &
  PolicyOperations &
  TransferOperations &
  TreasuryOperations;

export const createOperations = (context: EngineContext): Operations => ({
  ...agentOperations(context),
  ...approvalOperations(context),
  ...paymentOperations(context),
  ...policyOperations(context),
  ...transferOperations(context),
  ...treasuryOperations(context),
});

export type OwnerApi = {
  [N in keyof Operations & RouteName]: (call: Omit<Call<N>, 'caller'>) => Promise<Answer<N>>;
};

/** The operations as the owner calls them. */
export const ownerApi = (operations: Operations): OwnerApi => {
  const api: Record<string, unknown> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const run = operation as (call: object) => unknown;
    api[name] = async (call: object) => run({ ...call, caller: { role: 'owner' } });
  }
  return api as OwnerApi;
};
