// All that the engine can be asked, by route name: the HTTP routes call these, and the desktop's IPC will with the owner
// as the caller.
import { agentOperations, type AgentOperations } from './operations/agents.ts';
import { approvalOperations, type ApprovalOperations } from './operations/approvals.ts';
import { paymentOperations, type PaymentOperations } from './operations/payments.ts';
import { policyOperations, type PolicyOperations } from './operations/policies.ts';
import { transferOperations, type TransferOperations } from './operations/transfers.ts';
import { treasuryOperations, type TreasuryOperations } from './operations/treasury.ts';
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
