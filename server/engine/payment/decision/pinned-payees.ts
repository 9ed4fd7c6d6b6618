// Pinned payees: the payees that the catalog, or the owner's approval, ties to a service. The policy, the approval that
// shows a payee and the approval that pins it read them here.
import { mcpEndpoint } from '../../domain/mcp-service.ts';
import { isMcp, payeesOf } from '../../domain/purchase.ts';
import type { Context } from '../context.ts';
import type { Intent, Purchase, Service } from '../../ports.ts';

type Store = Pick<Context['store'], 'services'>;
type Payees = Pick<Service, 'payees'> | undefined;
type Carried = Pick<Purchase, 'carrier'> | null | undefined;

export const arePinned = (service: Payees, payees: readonly string[]): boolean =>
  payees.every((payee) => service?.payees.includes(payee) === true);

/** The catalog names no payee of the service, so that anybody may be paid under its name. */
export const isUnpinned = (service: Payees): boolean => (service?.payees.length ?? 0) === 0;

/** Only the agent's claim ties any payee to the service: no standing approval covers it. */
export const isClaimed = (purchase: Carried, service: Payees): boolean =>
  purchase?.carrier === 'agent' && isUnpinned(service);

/** Only the agent's claim ties one of these payees to the place. */
export const areClaimed = (purchase: Carried, service: Payees, payees: readonly string[]): boolean =>
  purchase?.carrier === 'agent' && !arePinned(service, payees);

/**
 * A service with pinned payees that now names another payee, a service that was removed from the catalog, or a payee that
 * an MCP server has not been paid at before: each needs the owner's approval, whatever the policy. The treasury does not
 * see an MCP server's demand, so there each new payee is asked for.
 */
export const isChangedPayee = (
  { services }: Store,
  intent: Pick<Intent, 'kind' | 'purchase' | 'serviceId' | 'payee'>,
): boolean => {
  const { kind, purchase, serviceId } = intent;
  if (kind !== 'payment' || serviceId === null) return false;
  const service = services.get(serviceId);
  const isOther = !arePinned(service, payeesOf(intent));
  if (isMcp(purchase)) return isOther;
  if (service === undefined) return false;
  return isUnpinned(service) ? services.listed(service.id) === undefined : isOther;
};

/**
 * From now on its payees are the service's: the owner was shown that they changed, and allowed it. An MCP server
 * outside the catalog then gets its entry. An entry that was removed meanwhile stays removed. Run it with the grant.
 */
export const pinPayees = (
  { services }: Store,
  intent: Pick<Intent, 'purchase' | 'serviceId' | 'payee'>,
): void => {
  const { purchase, serviceId } = intent;
  if (serviceId === null) return;
  const payees = payeesOf(intent);
  const service = services.get(serviceId);
  if (service === undefined) {
    const entry = isMcp(purchase) ? mcpEndpoint(serviceId) : null;
    if (entry !== null) services.upsert({ ...entry, payees }, { addedByOwner: true });
  } else if (!arePinned(service, payees) && services.listed(serviceId) !== undefined)
    services.pin(serviceId, [...new Set([...service.payees, ...payees])]);
};
