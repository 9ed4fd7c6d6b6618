// API keys of an agent.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import { agentPath, displayName, shared, timestamp, textLike } from '../fields.ts';

const keyPath = agentPath.extend({ keyId: z.string() });
export const mcpConfig = z.object({
  command: textLike('/path/to/treasury-mcp'),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
});
export const keyReply = z.object({
  keyId: z.string(),
  label: z.string(),
  createdAt: timestamp,
  expiresAt: shared.deadline.nullable(),
  revokedAt: timestamp.nullable(),
  lastSeenAt: timestamp.nullable().describe('when it was last used; null: never'),
});
export const newKeyReply = z.object({ keyId: z.string(), apiKey: z.string(), mcpConfig });

export const keysExchanges = {
  listKeys: get(agentPath, nothing, z.object({ keys: z.array(keyReply) })),
  addKey: post(agentPath, z.strictObject({ label: displayName.optional() }), newKeyReply),
  rotateKey: post(keyPath, z.strictObject({ now: z.boolean().default(false) }), newKeyReply),
  revokeKey: post(keyPath, nothing, keyReply),
};
