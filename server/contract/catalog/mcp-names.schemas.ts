// The ids of MCP servers that are commands on the owner's machine: `mcp:NAME`.
import { z } from 'zod';

const prefix = 'mcp:';

export const mcpName = z
  .string({ error: 'must be text' })
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must begin with a letter or digit and have at most 64 letters, digits, dots, underscores and hyphens',
  );

export const mcpServiceId = (name: string): string => `${prefix}${name}`;
/** The name in the id of such a service; null for any other id. */
export const mcpNameIn = (serviceId: string): string | null =>
  serviceId.startsWith(prefix) ? serviceId.slice(prefix.length) : null;

export const mcpService = z
  .string({ error: 'must be text' })
  .refine((text) => mcpName.safeParse(mcpNameIn(text)).success, 'must be mcp: and the name of an MCP server');

/** The command that registers it, for its owner. */
export const registering = (name: string): string => `treasury mcp add ${name} -- COMMAND`;
