// MCP servers as services of the catalog.
import { mcpNameIn } from '../../contract/catalog/mcp-names.schemas.ts';
import type { Service } from './service.ts';

/** The parts that the entries of all MCP servers share. */
export const mcpServer = {
  category: 'mcp',
  source: 'x402-marketplace',
  payees: [],
  pricing: {},
  price: null,
  vouched: false,
} as const satisfies Partial<Service>;

/** The first entry of a server that is reached by URL, from its id; null for a command, which only the owner registers. */
export const mcpEndpoint = (id: string): Service | null => {
  if (mcpNameIn(id) !== null) return null;
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
