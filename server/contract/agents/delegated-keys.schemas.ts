// API keys that an agent delegates to sub-agents and tasks.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import { agentPath, decimal, displayName, moment, shared, timestamp } from '../fields.ts';
import { newKeyReply } from './keys.schemas.ts';
import { limitsChange, limitsInForce, unknownServices, usedReply } from '../limits/policy.schemas.ts';

const delegatedKeyPath = agentPath.extend({ delegatedKeyId: z.string() });

const delegatedKeyReply = z.object({
  keyId: z.string(),
  label: z.string(),
  parentId: z.string().describe('the key that minted it; the agent’s id when the owner did'),
  level: z.number().describe('1 for a key that the agent itself delegated, to 3'),
  createdAt: timestamp,
  expiresAt: shared.deadline,
  endedAt: timestamp.nullable(),
  lastSeenAt: timestamp.nullable().describe('when it was last used; null: never'),
  limits: limitsInForce,
  unknownServices,
  used: usedReply,
  spendable: decimal.describe('what its wallet and every limit above it leave now'),
});

const delegation = limitsChange
  .omit({ expiresAt: true })
  .extend({ label: displayName, expiresAt: moment.transform((text) => Date.parse(text)) })
  .refine(({ dailyBudget, totalBudget }) => dailyBudget != null || totalBudget != null, {
    error: 'dailyBudget or totalBudget is required',
    path: ['dailyBudget'],
  });

export const delegatedKeysExchanges = {
  delegateKey: post(
    agentPath,
    delegation,
    newKeyReply.extend({ expiresAt: shared.deadline, spendable: decimal, unknownServices }),
  ),
  listDelegatedKeys: get(
    agentPath,
    nothing,
    z.object({
      keys: z.array(delegatedKeyReply),
      mayDelegate: z.boolean().describe('whether the owner lets the agent delegate'),
    }),
  ),
  endDelegatedKey: post(delegatedKeyPath, nothing, delegatedKeyReply),
  setDelegation: post(
    agentPath,
    z.strictObject({ allowed: z.boolean({ error: 'must be true or false' }) }),
    z.object({ agentId: shared.agentId, mayDelegate: z.boolean() }),
  ),
};
