// One service for the owner, and the owner's word on it: blocked for all agents, or its seller trusted.
import type { Reply } from '../../contract/schemas.ts';
import { AppError } from '../../errors.ts';
import { done, type EngineContext } from '../calls/call.ts';
import { isoOrNull, serviceView } from '../calls/views.ts';
import { announceApproval } from '../payment/approval.ts';
import { takeAwayUnfit } from '../payment/rejudge.ts';
import type { Operation } from '../ports.ts';

export interface ServiceOperations {
  getService: Operation<'getService'>;
  setServiceRule: Operation<'setServiceRule'>;
  serviceCategories: Operation<'serviceCategories'>;
}

export const serviceOperations = (context: EngineContext): ServiceOperations => {
  const { store, time, publish } = context;

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
      mayTrust: listed !== undefined && !listed.vouched,
    };
  };

  return {
    getService: ({ params }) => done(view(params.serviceId)),

    setServiceRule({ params: { serviceId }, body: { blocked, trusted } }) {
      const { mayTrust } = view(serviceId);
      if (trusted !== undefined && !mayTrust)
        throw new AppError(
          'conflict',
          'Trust is for sellers of imported lists. A service that you added, or that the treasury brings, is trusted already; one outside the catalog cannot be.',
        );
      const before = store.serviceRules.get(serviceId);
      const now = time.now();
      const since = (at: number | null, is: boolean | undefined): number | null =>
        is === undefined ? at : is ? (at ?? now) : null;
      const unfit = store.atomically(() => {
        store.serviceRules.set(serviceId, {
          blockedAt: since(before.blockedAt, blocked),
          trustedAt: since(before.trustedAt, trusted),
        });
        return takeAwayUnfit(context);
      });
      for (const { id } of unfit) announceApproval(context, id);
      publish({ type: 'service', serviceId });
      return done(view(serviceId));
    },

    serviceCategories: () => done({ categories: store.services.categories() }),
  };
};
