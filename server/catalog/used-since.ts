// After an older copy of the records was put back: nothing repairs what was used of language models since, so that a provider
// stays off until the owner has entered what each agent used: also one that may use no model by the older copy, since the owner
// may have allowed it later.
import { modelServiceId } from '../contract/models/suppliers.ts';
import type { Reply } from '../contract/schemas.ts';
import type { EngineContext } from '../engine/calls/call.ts';
import { iso } from '../engine/calls/views.ts';
import { pathNow } from '../engine/payment/decision/charge-path.ts';
import { olderCopy } from '../engine/domain/reconciliation-mark.ts';
import type { ModelSupplier } from '../engine/ports.ts';
import { AppError, fieldError } from '../errors.ts';
import type { Usdc } from '../money.ts';

type Context = Pick<EngineContext, 'store' | 'time' | 'newId' | 'publish'>;

/** In place of a model's name: no model's name has a space. */
const model = 'used since an older copy';

/**
 * Since when what was used of this supplier can be missing; null where nothing can. The newest row of a copy may be older than
 * the copy, and than a supplier in it.
 */
const copyOf = ({ store }: Pick<Context, 'store'>, supplier: ModelSupplier): number | null => {
  const copy = olderCopy(store);
  return copy === null || supplier.kind === 'seller' || supplier.createdAt > copy.foundAt
    ? null
    : Math.max(copy.since, supplier.createdAt);
};

type Lacking = Pick<Reply<'setModelSupplier'>, 'lacksUseOf' | 'lacksUseSince'>;

/** The agents of which it was not entered. */
export const lacking = (
  { store, time }: Pick<Context, 'store' | 'time'>,
  supplier: ModelSupplier,
): Lacking => {
  const copy = copyOf({ store }, supplier);
  if (copy === null) return { lacksUseOf: [], lacksUseSince: null };
  const serviceId = modelServiceId(supplier.id);
  const rows = store.modelRequests.usage({ from: copy + 1, to: time.now() + 1 });
  const entered = rows.filter((row) => row.serviceId === serviceId && row.model === model);
  const lacksUseOf = store.agents
    .list()
    .map(({ agentId }) => agentId)
    .filter((id) => entered.every(({ agentId }) => agentId !== id));
  return { lacksUseOf, lacksUseSince: iso(copy) };
};

/**
 * Enters each amount as a row of its own, which counts from now.
 * @param turnsOn it is to be on from then
 * @throws AppError `bad_request` for an agent that does not lack it; `conflict` while one does and it turns on
 */
export const enterUsed = (
  context: Context,
  supplier: ModelSupplier,
  amounts: Readonly<Record<string, Usdc>>,
  turnsOn: boolean,
): void => {
  const { lacksUseOf } = lacking(context, supplier);
  context.store.atomically(() => {
    for (const [agentId, amount] of Object.entries(amounts)) {
      if (!lacksUseOf.includes(agentId))
        throw fieldError('usedSince', `${agentId} is no agent, or nothing that it used is missing`);
      enter(context, supplier, agentId, amount);
    }
    if (turnsOn) refuseLacking(context, supplier);
  });
  for (const agentId of Object.keys(amounts)) context.publish({ type: 'agent', agentId });
};

const refuseLacking = (context: Context, supplier: ModelSupplier): void => {
  const { lacksUseOf: agentIds, lacksUseSince: since } = lacking(context, supplier);
  if (agentIds.length === 0) return;
  const message = `These records are an older copy. Enter what each agent used of ${supplier.name} since ${since ?? ''}, 0 if nothing: ${agentIds.join(', ')}.`;
  throw new AppError('conflict', message, { agentIds, since });
};

const enter = (
  { store, time, newId }: Context,
  { id: supplierId }: ModelSupplier,
  agentId: string,
  amount: Usdc,
): void => {
  const id = newId('mod');
  const { version: policyVersion } = store.policies.get(agentId);
  const terms = {
    agentId,
    keyId: 'owner',
    serviceId: modelServiceId(supplierId),
    model,
    wire: '',
    prices: {},
  };
  const path = pathNow(store, agentId, null);
  store.modelRequests.insert(
    { ...terms, ...path, id, bound: amount, policyVersion, grantId: null },
    null,
    time.now(),
  );
  store.modelRequests.end(id, { state: 'settled', amount, mark: 'exact' }, time.now());
};
