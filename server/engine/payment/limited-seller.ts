// The service behind a payee that an agent may pay under a name of its own.
import { firstOf } from '../../lib/first-of.ts';
import type { NodeFacts } from '../limits/node-facts.ts';
import type { Store } from '../ports.ts';

/** The first service with a limit of its own on the path to which the catalog pins this payee; null for none. */
export const limitedSeller = (
  { services }: Pick<Store, 'services'>,
  path: readonly NodeFacts[],
  payee: string,
): { node: NodeFacts; serviceId: string } | null =>
  firstOf(path, (node) => {
    const limited = Object.keys(node.limits.serviceLimits ?? {});
    const serviceId = limited.find((id) => services.get(id)?.payees.includes(payee));
    return serviceId === undefined ? null : { node, serviceId };
  });
