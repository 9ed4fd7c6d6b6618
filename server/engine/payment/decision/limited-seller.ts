// The service behind a payee that is paid under another name.
import { firstOf } from '../../../lib/first-of.ts';
import type { Limits, Store } from '../../ports.ts';

/** The first service with a limit of its own on the path to which the catalog pins this payee; null for none. */
export const limitedSeller = <Node extends { limits: Pick<Limits, 'serviceLimits'> }>(
  { services }: Pick<Store, 'services'>,
  path: readonly Node[],
  payee: string,
): { node: Node; serviceId: string } | null =>
  firstOf(path, (node) => {
    const limited = Object.keys(node.limits.serviceLimits ?? {});
    const serviceId = limited.find((id) => services.get(id)?.payees.includes(payee));
    return serviceId === undefined ? null : { node, serviceId };
  });
