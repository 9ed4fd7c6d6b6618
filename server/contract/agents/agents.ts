// Agents: creating, funding, stopping and naming them, and their keys.
import { anyAgent, anyKey, owner, thisAgent, type Route } from '../route.ts';

export const agentRoutes = {
  deploy: anyAgent('POST /v1/agents/deploy', 'Create an agent with a wallet and a policy'),
  listAgents: owner('GET /v1/agents', 'All agents'),
  balance: anyKey('GET /v1/agents/:agentId/balance', 'USDC in the agent’s wallet'),
  agentEvents: thisAgent(
    'GET /v1/agents/:agentId/events',
    'The agent’s own payments, pictures, approvals, policy and stops as they change, as server-sent events',
  ),
  allocate: thisAgent('POST /v1/agents/:agentId/allocate', 'Move USDC from the treasury to the agent'),
  recall: owner('POST /v1/agents/:agentId/recall', 'Move USDC from the agent back to the treasury'),
  archive: owner('POST /v1/agents/:agentId/archive', 'Recall everything, revoke all keys, hide the agent'),
  kill: thisAgent('POST /v1/agents/:agentId/kill', 'Suspend the agent: it pays nothing until it is resumed'),
  resume: thisAgent('POST /v1/agents/:agentId/resume', 'Let a suspended agent pay again'),
  markAgent: owner(
    'POST /v1/agents/:agentId/marks',
    'Change its color, its picture or its tags; only sent fields change',
  ),
  rename: thisAgent('POST /v1/agents/:agentId/rename', 'Change the label; the id stays'),
  listKeys: owner('GET /v1/agents/:agentId/keys', 'The agent’s API keys, without the keys'),
  addKey: owner('POST /v1/agents/:agentId/keys', 'Another API key, shown once'),
  rotateKey: owner(
    'POST /v1/agents/:agentId/keys/:keyId/rotate',
    'A new key; the old one lives 24 h more, or ends now',
  ),
  revokeKey: owner('DELETE /v1/agents/:agentId/keys/:keyId', 'End a key at once'),
  delegateKey: anyKey(
    'POST /v1/agents/:agentId/delegated-keys',
    'A key for a sub-agent or a task, with limits of its own, shown once; it ends with the key that minted it',
  ),
  listDelegatedKeys: anyKey(
    'GET /v1/agents/:agentId/delegated-keys',
    'The keys that the caller delegated, with what is used of their limits',
  ),
  endDelegatedKey: anyKey(
    'DELETE /v1/agents/:agentId/delegated-keys/:delegatedKeyId',
    'End a delegated key, and all that it delegated',
  ),
  setDelegation: owner(
    'POST /v1/agents/:agentId/delegation',
    'Let the agent delegate keys, or end all that it delegated',
  ),
} as const satisfies Record<string, Route>;
