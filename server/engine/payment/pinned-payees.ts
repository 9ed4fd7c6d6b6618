// Pinned payees: the payees that the catalog, or the owner's approval, ties to a service. The policy, the approval that
// shows a payee and the approval that pins it read them here.
import { mcpEndpoint } from '../domain/mcp-service.ts';
import { isMcp } from '../domain/purchase.ts';
import type { Context } from './context.ts';
import type { Intent, Purchase, Service } from '../ports.ts';

type Store = Pick<Context['store'], 'services'>;
type Payees = Pick<Service, 'payees'> | undefined;
type Carried = Pick<Purchase, 'carrier'> | null | undefined;

export const isPinned = (service: Payees, payee: string): boolean => service?.payees.includes(payee) === true;

/** The catalog names no payee of the service, so that anybody may be paid under its name. */
export const isUnpinned = (service: Payees): boolean => (service?.payees.length ?? 0) === 0;

/** Only the agent's claim ties any payee to the service: no standing approval covers it. */
export const isClaimed = (purchase: Carried, service: Payees): boolean =>
  purchase?.carrier === 'agent' && isUnpinned(service);

/** Only the agent's claim ties this payee to the place. */
export const isClaimedPayee = (purchase: Carried, service: Payees, payee: string): boolean =>
  purchase?.carrier === 'agent' && !isPinned(service, payee);

/**
 * A service with pinned payees that now names another payee, a service that was removed from the catalog, or a payee that
 * an MCP server has not been paid at before: each needs the owner's approval, whatever the policy. The treasury does not
 * see an MCP server's demand, so there each new payee is asked for.
 */
export const isChangedPayee = (
  { services }: Store,
  { kind, purchase, serviceId, payee }: Pick<Intent, 'kind' | 'purchase' | 'serviceId' | 'payee'>,
): boolean => {
  if (kind !== 'payment' || serviceId === null) return false;
  const service = services.get(serviceId);
  if (isMcp(purchase)) return !isPinned(service, payee);
  if (service === undefined) return false;
  return isUnpinned(service) ? services.listed(service.id) === undefined : !isPinned(service, payee);
};

/**
 * From now on this payee is one of the service's: the owner was shown that it changed, and allowed it. An MCP server
 * outside the catalog then gets its entry. An entry that was removed meanwhile stays removed. Run it with the grant.
 */
export const pinPayee = (
  { services }: Store,
  { purchase, serviceId, payee }: Pick<Intent, 'purchase' | 'serviceId' | 'payee'>,
): void => {
  if (serviceId === null) return;
  const service = services.get(serviceId);
  if (service === undefined) {
    const entry = isMcp(purchase) ? mcpEndpoint(serviceId) : null;
    if (entry !== null) services.upsert({ ...entry, payees: [payee] }, { addedByOwner: true });
  } else if (!isPinned(service, payee) && services.listed(serviceId) !== undefined)
    services.pin(serviceId, [...service.payees, payee]);
};
