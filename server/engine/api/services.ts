// One service for the owner, and the owner's word on it: blocked for all agents, or its seller trusted.
import { modelServiceId } from '../../contract/models/suppliers.ts';
import type { Reply } from '../../contract/schemas.ts';
import { limitAt, serviceLimitsInReply } from '../../contract/limits/service-limits.ts';
import { AppError } from '../../errors.ts';
import { done, type EngineContext } from '../calls/call.ts';
import { isoOrNull, serviceView } from '../calls/views.ts';
import { nodeOf } from '../limits/path.ts';
import { changeRules } from '../payment/owner/rejudge.ts';
import type { Scope, SomeOperations } from '../ports.ts';

export const serviceOperations = (context: EngineContext) => {
  const { store, time, publish } = context;

  /** It is paid by the owner's own account with it, and has no payee. */
  const isByAccount = (serviceId: string): boolean =>
    store.modelSuppliers.list().some(({ id, kind }) => kind !== 'seller' && modelServiceId(id) === serviceId);

  const view = (serviceId: string): Reply<'getService'> => {
    const listed = store.services.listed(serviceId);
    const known = listed ?? store.services.get(serviceId);
    const { blockedAt, trustedAt } = store.serviceRules.get(serviceId);
    return {
      serviceId,
      name: known?.name ?? serviceId,
      service: listed === undefined ? null : serviceView(listed),
      blockedAt: isoOrNull(blockedAt),
      isTrusted: known?.vouched === true || trustedAt !== null,
      mayTrust: listed !== undefined && !listed.vouched && !isByAccount(serviceId),
      limits: limitsAt(context, serviceId),
    };
  };

  return {
    getService: ({ params }) => done(view(params.serviceId)),

    setServiceRule({ params: { serviceId }, body: { blocked, trusted } }) {
      const { mayTrust } = view(serviceId);
      if (trusted !== undefined && !mayTrust)
        throw new AppError(
          'conflict',
          'Only sellers from imported lists can be trusted. Services that you added, and built-in ones, are trusted already; a service outside the catalog cannot be.',
        );
      const before = store.serviceRules.get(serviceId);
      const now = time.now();
      const since = (at: number | null, is: boolean | undefined): number | null =>
        is === undefined ? at : is ? (at ?? now) : null;
      changeRules(context, () =>
        store.serviceRules.set(serviceId, {
          blockedAt: since(before.blockedAt, blocked),
          trustedAt: since(before.trustedAt, trusted),
        }),
      );
      publish({ type: 'service', serviceId });
      return done(view(serviceId));
    },

    serviceCategories: () => done({ categories: store.services.categories() }),
  } satisfies SomeOperations;
};

/** The limits at a service of every node that can still pay. */
const limitsAt = (
  { store, time }: Pick<EngineContext, 'store' | 'time'>,
  serviceId: string,
): Reply<'getService'>['limits'] => {
  const agents = store.agents.list().filter(({ archivedAt }) => archivedAt === null);
  const keys = new Set(store.keys.delegated(null, time.now()).map(({ id }) => id));
  const isLive = (scope: Scope): boolean => {
    const { kind, id } = nodeOf(store, scope);
    if (kind === 'key') return keys.has(id);
    return kind !== 'group' || store.groups.get(id)?.archivedAt === null;
  };
  const nodes = [
    ...agents.map(({ agentId }) => ({ scope: agentId, ...store.policies.get(agentId) })),
    ...store.limits.list().filter(({ scope }) => isLive(scope)),
  ];
  return nodes.flatMap(({ scope, serviceLimits }) => {
    const limit =
      serviceLimits === null ? undefined : limitAt(serviceLimitsInReply(serviceLimits), serviceId);
    return limit === undefined ? [] : [{ node: nodeOf(store, scope), limit }];
  });
};
