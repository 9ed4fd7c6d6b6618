// MCP servers that the owner registers as services of the catalog.
import { z } from 'zod';
import { serviceReply } from './catalog.schemas.ts';
import { nothing, post } from '../exchange.ts';
import { mcpName } from './mcp-names.schemas.ts';

const word = z
  .string({ error: 'must be text' })
  .max(1_000, 'must be at most 1000 characters')
  .refine((text) => !/\p{Cc}/u.test(text), 'must not hold control characters');

export const mcpServersExchanges = {
  addMcpServer: post(
    nothing,
    z.strictObject({
      name: mcpName.describe('the service’s id is mcp: and this name'),
      command: z
        .array(word, { error: 'must be a list of words' })
        .min(1, 'must name a program')
        .max(100, 'must be at most 100 words')
        .describe('the program and its arguments, as the proxy is to run it; keep secrets out of it'),
    }),
    serviceReply,
  ),
};
