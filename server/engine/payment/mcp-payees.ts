// The payees of MCP servers. The treasury does not see such a server's demand, so no policy and no standing approval lets
// a new payee pass: the owner is asked once for each, and the approval pins it.
import { mcpNameIn } from '../../contract/mcp-names.ts';
import { isMcp } from '../domain/purchase.ts';
import type { Context } from './context.ts';
import type { Intent, Service, Transfer } from '../ports.ts';

type Store = Pick<Context['store'], 'services'>;

/** Whether it pays an MCP server at a payee that is not pinned there. */
export const isNewMcpPayee = (
  { services }: Store,
  { purchase, serviceId, payee }: Pick<Intent, 'purchase' | 'serviceId' | 'payee'>,
): boolean =>
  isMcp(purchase) && serviceId !== null && !(services.get(serviceId)?.payees ?? []).includes(payee);

/** The owner saw the payee and allowed it. A server outside the catalog then gets its entry. Run it with the grant. */
export const pinMcpPayee = ({ services }: Store, { purchase, serviceId, payee }: Transfer): void => {
  if (!isMcp(purchase) || serviceId === null) return;
  const known = services.listed(serviceId);
  if (known !== undefined) {
    if (!known.payees.includes(payee)) services.pin(known.id, [...known.payees, payee]);
    return;
  }
  // A command that was removed from the catalog meanwhile stays removed.
  if (mcpNameIn(serviceId) === null)
    services.upsert({ ...endpointOf(serviceId), payees: [payee] }, { addedByOwner: true });
};

const endpointOf = (id: string): Service => {
  const { origin, pathname, host } = new URL(id);
  return {
    ...mcpServer,
    id,
    name: `${host}${pathname}`.slice(0, 80),
    description: `MCP server at ${host}.`,
    endpoint: `MCP ${pathname}`,
    origin,
  };
};

/** The parts that the entries of all MCP servers share. */
export const mcpServer = {
  category: 'mcp',
  source: 'x402-marketplace',
  payees: [],
  pricing: {},
  price: null,
  vouched: false,
} as const satisfies Partial<Service>;
