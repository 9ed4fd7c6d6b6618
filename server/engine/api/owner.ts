// All operations of the engine, by route name, and the OwnerApi over them: HTTP routes call single operations, the
// desktop's IPC asks through the OwnerApi.
import { parse } from '../../contract/field-errors.ts';
import type { Ask, OwnerApi, OwnerEvent, OwnerRoute } from '../../contract/owner-api.ts';
import { exchanges, type Reply } from '../../contract/schemas.ts';
import { activityOperations } from './activity.ts';
import { agentOperations } from './agents.ts';
import { approvalOperations } from './approvals.ts';
import { boostOperations } from './limits/boosts.ts';
import { allowanceOperations } from './allowance.ts';
import { coldOperations } from './cold.ts';
import { delegatedKeyOperations } from './delegated-keys.ts';
import { groupOperations } from './limits/groups.ts';
import { linkOperations } from './links.ts';
import { mcpServerOperations } from './mcp-servers.ts';
import { modelOperations } from './models/image-models.ts';
import { modelUsageOperations } from './models/usage.ts';
import { paymentOperations } from './payments.ts';
import { limitOperations } from './limits/limits.ts';
import { policyOperations } from './limits/policies.ts';
import { previewOperations } from './limits/preview.ts';
import { refillOperations } from './limits/refills.ts';
import { serviceOperations } from './services.ts';
import { taskOperations } from './models/tasks.ts';
import { transferOperations } from './transfers.ts';
import { treasuryOperations } from './treasury.ts';
import { watchOperations } from './limits/watch.ts';
import { watchPreviewOperations } from './limits/watch-preview.ts';
import type { EngineContext } from '../calls/call.ts';
import type { Generation, GenerationDeps } from '../pictures/generation.ts';
import type { CheckPath } from './path.ts';
import type { Purchases } from '../purchase/purchases.ts';
import type { Call, Operation } from '../ports.ts';

export const createOperations = (
  context: EngineContext,
  deps: GenerationDeps,
  generation: Generation,
  purchases: Purchases,
) => ({
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
  ...modelUsageOperations(context),
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

export type Operations = ReturnType<typeof createOperations>;

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
    const caller = { role: 'owner', from: 'dashboard' } as const;
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
