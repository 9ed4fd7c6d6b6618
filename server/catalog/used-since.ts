// After an older copy of the records was put back: nothing repairs what was used of language models since, so that a provider
// stays off until the owner has entered what each agent used: also one that may use no model by the older copy, since the owner
// may have allowed it later, and also of a provider that is added later, since the copy may not know that it was there.
import { modelServiceId } from '../contract/models/suppliers.ts';
import type { Reply } from '../contract/schemas.ts';
import type { EngineContext } from '../engine/calls/call.ts';
import { iso } from '../engine/calls/views.ts';
import {
  areRecordsWhole,
  olderCopies,
  refuseBeforeReconciliation,
  type OlderCopy,
} from '../engine/domain/reconciliation-mark.ts';
import { correctRequest } from '../engine/models/settle.ts';
import { pathNow } from '../engine/payment/decision/charge-path.ts';
import type { ModelSupplier } from '../engine/ports.ts';
import { AppError, fieldError } from '../errors.ts';
import type { Usdc } from '../money.ts';
import { bySupplier } from './by-supplier.ts';

type Context = Pick<EngineContext, 'store' | 'time' | 'newId' | 'publish'>;
type Records = Pick<Context, 'store'>;

/** In place of a model's name: no model's name has a space. */
const model = 'used since an older copy';

/** The key of a row that was entered: no client can send one with a line break. */
const keyOf = ({ id }: ModelSupplier, { since }: OlderCopy): string => `used since\n${id}\n${since}`;

/** When the newest copy was found that was known as each supplier was on. */
const onSince = bySupplier<number>('models-on-since');

/** Call it in the transaction that has turned a supplier on: nothing is lacking until a further copy is found. */
export const noteOn = ({ store }: Records, { id }: ModelSupplier): void => {
  const newest = olderCopies(store).at(-1);
  if (newest !== undefined) onSince.set(store, id, newest.foundAt);
};

/** The chain may show further agents, and an older copy. @throws AppError `conflict` */
export const refuseBeforeCompared = (store: Records['store']): void => {
  refuseBeforeReconciliation(store);
  if (areRecordsWhole(store)) return;
  throw new AppError(
    'conflict',
    'The records are still being restored from the chain. See that its Solana RPC answers, and try again once the restore has ended.',
  );
};

type Lacking = Pick<Reply<'setModelSupplier'>, 'lacksUseOf' | 'lacksUseSince'>;

/**
 * The agents of which it was not entered, and since when it can be missing: first those since the oldest copy. The newest row of
 * a copy may be older than the copy, and than a supplier in it.
 */
export const lacking = ({ store }: Records, supplier: ModelSupplier): Lacking => {
  const last = onSince.get(store, supplier.id) ?? -1;
  const copies = olderCopies(store).filter(({ foundAt }) => supplier.kind !== 'seller' && foundAt > last);
  const lacks = store.agents.list().flatMap(({ agentId }) => {
    // The amount that was entered for a copy holds what those before it lack.
    const entered = copies.findLastIndex(
      (copy) => store.modelRequests.named(agentId, keyOf(supplier, copy)) !== undefined,
    );
    const copy = copies[entered + 1];
    return copy === undefined ? [] : [{ agentId, copy }];
  });
  const oldest = copies.find((copy) => lacks.some((one) => one.copy === copy));
  if (oldest === undefined) return { lacksUseOf: [], lacksUseSince: null };
  const { since, foundAt } = oldest;
  return {
    lacksUseOf: lacks.flatMap(({ agentId, copy }) => (copy === oldest ? [agentId] : [])),
    lacksUseSince: iso(supplier.createdAt > foundAt ? since : Math.max(since, supplier.createdAt)),
  };
};

/**
 * Enters each amount as a row of its own, which counts from now; corrects it where one was entered.
 * @param turnsOn it is to be on from then
 * @throws AppError `bad_request` for an agent that lacks nothing; `conflict` while one lacks something and it turns on, and
 *   before the records were compared with the chain, which may show further agents
 */
export const enterUsed = (
  context: Context,
  supplier: ModelSupplier,
  amounts: Readonly<Record<string, Usdc>>,
  turnsOn: boolean,
): void => {
  const { store, publish } = context;
  const all = Object.entries(amounts);
  if (turnsOn || all.length > 0) refuseBeforeCompared(store);
  const { lacksUseOf } = lacking(context, supplier);
  const copy = olderCopies(store).at(-1);
  store.atomically(() => {
    for (const [agentId, amount] of all) {
      const entered = copy && store.modelRequests.named(agentId, keyOf(supplier, copy));
      if (entered !== undefined) correctRequest(context, entered, amount);
      else if (copy !== undefined && lacksUseOf.includes(agentId))
        enter(context, { supplier, copy, agentId, amount });
      else throw fieldError('usedSince', `${agentId} is no agent, or nothing that it used is missing`);
    }
    if (turnsOn) refuseLacking(context, supplier);
  });
  for (const [agentId] of all) publish({ type: 'agent', agentId });
};

const refuseLacking = (context: Context, supplier: ModelSupplier): void => {
  const { lacksUseOf: agentIds, lacksUseSince: since } = lacking(context, supplier);
  if (agentIds.length === 0) return;
  const message = `These records may lack what was used since an older copy. Enter what each agent used of ${supplier.name} since ${since ?? ''}, 0 if nothing: ${agentIds.join(', ')}. If another agent used it too, add its amount to one of these.`;
  throw new AppError('conflict', message, { agentIds, since });
};

interface Entry {
  supplier: ModelSupplier;
  copy: OlderCopy;
  agentId: string;
  amount: Usdc;
}

const enter = ({ store, time, newId }: Context, { supplier, copy, agentId, amount }: Entry): void => {
  const id = newId('mod');
  const { version: policyVersion } = store.policies.get(agentId);
  const terms = {
    agentId,
    keyId: 'owner',
    serviceId: modelServiceId(supplier.id),
    model,
    wire: '',
    prices: {},
    idempotencyKey: keyOf(supplier, copy),
  };
  const path = pathNow(store, agentId, null);
  store.modelRequests.insert(
    { ...terms, ...path, id, bound: amount, policyVersion, grantId: null },
    null,
    time.now(),
  );
  store.modelRequests.end(id, { state: 'settled', amount, mark: 'exact' }, time.now());
};
