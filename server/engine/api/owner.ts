// All operations of the engine, by route name, and the OwnerApi over them: HTTP routes call single operations, the
// desktop's IPC asks through the OwnerApi.
import { parse } from '../../contract/field-errors.ts';
import type { Ask, OwnerApi, OwnerEvent, OwnerRoute } from '../../contract/owner-api.ts';
import { exchanges, type Reply } from '../../contract/schemas.ts';
import { activityOperations, type ActivityOperations } from './activity.ts';
import { agentOperations, type AgentOperations } from './agents.ts';
import { approvalOperations, type ApprovalOperations } from './approvals.ts';
import { boostOperations, type BoostOperations } from './boosts.ts';
import { allowanceOperations, type AllowanceOperations } from './allowance.ts';
import { coldOperations, type ColdOperations } from './cold.ts';
import { delegatedKeyOperations, type DelegatedKeyOperations } from './delegated-keys.ts';
import { groupOperations, type GroupOperations } from './groups.ts';
import { linkOperations, type LinkOperations } from './links.ts';
import { mcpServerOperations, type McpServerOperations } from './mcp-servers.ts';
import { modelOperations, type ModelOperations } from './models.ts';
import { paymentOperations, type PaymentOperations } from './payments.ts';
import { limitOperations, type LimitOperations } from './limits.ts';
import { policyOperations, type PolicyOperations } from './policies.ts';
import { previewOperations, type PreviewOperations } from './preview.ts';
import { refillOperations, type RefillOperations } from './refills.ts';
import { serviceOperations, type ServiceOperations } from './services.ts';
import { taskOperations, type TaskOperations } from './tasks.ts';
import { transferOperations, type TransferOperations } from './transfers.ts';
import { treasuryOperations, type TreasuryOperations } from './treasury.ts';
import { watchOperations, type WatchOperations } from './watch.ts';
import { watchPreviewOperations, type WatchPreviewOperations } from './watch-preview.ts';
import type { EngineContext } from '../calls/call.ts';
import type { Generation, GenerationDeps } from '../pictures/generation.ts';
import type { CheckPath } from './path.ts';
import type { Purchases } from '../purchase/purchases.ts';
import type { Call, Operation } from '../ports.ts';

export type Operations = ActivityOperations &
  AgentOperations &
  ApprovalOperations &
  BoostOperations &
  AllowanceOperations &
  ColdOperations &
  DelegatedKeyOperations &
  GroupOperations &
  LinkOperations &
  McpServerOperations &
  ModelOperations &
  PaymentOperations &
  LimitOperations &
  PolicyOperations &
  PreviewOperations &
  RefillOperations &
  ServiceOperations &
  TaskOperations &
  TransferOperations &
  TreasuryOperations &
  WatchOperations &
  WatchPreviewOperations;

export const createOperations = (
  context: EngineContext,
  deps: GenerationDeps,
  generation: Generation,
  purchases: Purchases,
): Operations => ({
  ...activityOperations(context),
  ...agentOperations(context),
  ...approvalOperations(context),
  ...boostOperations(context),
  ...allowanceOperations(context),
  ...coldOperations(context),
  ...delegatedKeyOperations(context),
  ...groupOperations(context),
  ...linkOperations(context),
  ...mcpServerOperations(context),
  ...modelOperations(context, deps.providers),
  ...paymentOperations(context, purchases),
  ...limitOperations(context),
  ...policyOperations(context),
  ...previewOperations(context),
  ...refillOperations(context),
  ...serviceOperations(context),
  ...taskOperations(context, deps, generation),
  ...transferOperations(context),
  ...treasuryOperations(context),
  ...watchOperations(context),
  ...watchPreviewOperations(context),
});

interface OwnerApiDeps {
  operations: { [N in OwnerRoute]: Operation<N> };
  checkPath: CheckPath;
  /** This host's own address. */
  url: string;
  /** Passes on every event, in order, after its commit. Returns the function that ends the subscription. */
  onEvent(listen: (event: OwnerEvent) => void): () => void;
}

/** The owner's calls within this process; input is checked as over HTTP. */
export const createOwnerApi = ({ operations, checkPath, url, onEvent }: OwnerApiDeps): OwnerApi => ({
  async ask<N extends OwnerRoute>(route: N, input?: Ask<N>): Promise<Reply<N>> {
    const caller = { role: 'owner' } as const;
    const { params, query, body } = exchanges[route];
    const call = {
      caller,
      door: { name: 'local' as const, url },
      params: parse(params, input?.params ?? {}),
      query: parse(query, input?.query ?? {}),
      body: parse(body, input?.body ?? {}),
      key: input?.key ?? null,
      waitMs: null,
    };
    checkPath(caller, call.params, route);
    // The contract pairs each route's operation with its own exchange; the compiler cannot follow that through a name.
    const operation = operations[route] as Operation<N>;
    const answer = await operation(call as unknown as Call<N>);
    return answer.body as Reply<N>;
  },
  listen({ event, connected }) {
    connected(true);
    return onEvent(event);
  },
});
