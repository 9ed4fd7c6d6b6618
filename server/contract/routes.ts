// Every route of /v1. Free of zod, since the renderer and the bridge import it too.
import { catalogRoutes } from './catalog-routes.ts';
import { linkRoutes } from './link-routes.ts';
import { paymentRoutes } from './payment-routes.ts';
import type { Route } from './route.ts';

export type { Access, Route } from './route.ts';

export const routes = {
  health: { method: 'GET', path: '/v1/health', access: 'public', summary: 'Is the treasury there?' },
  openapi: {
    method: 'GET',
    path: '/v1/openapi.json',
    access: 'public',
    summary: 'This interface as OpenAPI 3.1',
  },

  openSession: {
    method: 'POST',
    path: '/v1/session',
    access: 'public',
    summary: 'Trade a one-time login token, or an owner token, for a session of the dashboard',
  },
  endSession: { method: 'DELETE', path: '/v1/session', access: 'owner', summary: 'End this session' },
  openLogin: {
    method: 'POST',
    path: '/v1/logins',
    access: 'public',
    summary: 'Ask the owner to let a terminal in for fifteen minutes',
  },
  claimLogin: {
    method: 'POST',
    path: '/v1/logins/:loginId/claim',
    access: 'public',
    summary: 'Get a login; its token once, when it was granted',
  },
  listLogins: { method: 'GET', path: '/v1/logins', access: 'owner', summary: 'Logins that wait' },
  grantLogin: {
    method: 'POST',
    path: '/v1/logins/:loginId/grant',
    access: 'owner',
    summary: 'Let the terminal in',
  },
  denyLogin: { method: 'POST', path: '/v1/logins/:loginId/deny', access: 'owner', summary: 'Refuse it' },

  ...linkRoutes,
  ...catalogRoutes,

  deploy: {
    method: 'POST',
    path: '/v1/agents/deploy',
    access: 'any-agent',
    summary: 'Create an agent with a wallet and a policy',
  },
  listAgents: { method: 'GET', path: '/v1/agents', access: 'owner', summary: 'All agents' },
  balance: {
    method: 'GET',
    path: '/v1/agents/:agentId/balance',
    access: 'agent',
    summary: 'USDC in the agent’s wallet',
  },
  getPolicy: {
    method: 'GET',
    path: '/v1/agents/:agentId/policy',
    access: 'agent',
    summary: 'The policy in force',
  },
  setPolicy: {
    method: 'POST',
    path: '/v1/agents/:agentId/policy',
    access: 'agent',
    summary: 'Change the policy; only sent fields change',
  },
  previewPolicy: {
    method: 'POST',
    path: '/v1/agents/:agentId/policy/preview',
    access: 'owner',
    summary: 'What a changed policy would have done to the payments of the last 30 days; changes nothing',
  },
  allocate: {
    method: 'POST',
    path: '/v1/agents/:agentId/allocate',
    access: 'agent',
    summary: 'Move USDC from the treasury to the agent',
  },
  recall: {
    method: 'POST',
    path: '/v1/agents/:agentId/recall',
    access: 'owner',
    summary: 'Move USDC from the agent back to the treasury',
  },
  archive: {
    method: 'POST',
    path: '/v1/agents/:agentId/archive',
    access: 'owner',
    summary: 'Recall everything, revoke all keys, hide the agent',
  },
  kill: {
    method: 'POST',
    path: '/v1/agents/:agentId/kill',
    access: 'agent',
    summary: 'Suspend the agent: nothing is paid any more',
  },
  resume: {
    method: 'POST',
    path: '/v1/agents/:agentId/resume',
    access: 'agent',
    summary: 'Let a suspended agent pay again',
  },
  rename: {
    method: 'POST',
    path: '/v1/agents/:agentId/rename',
    access: 'agent',
    summary: 'Change the label; the id stays',
  },
  pay: {
    method: 'POST',
    path: '/v1/agents/:agentId/pay',
    access: 'agent',
    summary: 'Pay a service and get the receipt',
  },
  fetch: {
    method: 'POST',
    path: '/v1/agents/:agentId/fetch',
    access: 'agent',
    summary: 'Ask a paid API, pay what its 402 asks for within the policy, and get its answer',
  },
  ...paymentRoutes,
  listKeys: {
    method: 'GET',
    path: '/v1/agents/:agentId/keys',
    access: 'owner',
    summary: 'The agent’s API keys, without the keys',
  },
  addKey: {
    method: 'POST',
    path: '/v1/agents/:agentId/keys',
    access: 'owner',
    summary: 'A further API key, shown once',
  },
  rotateKey: {
    method: 'POST',
    path: '/v1/agents/:agentId/keys/:keyId/rotate',
    access: 'owner',
    summary: 'A new key; the old one lives 24 h more, or ends now',
  },
  revokeKey: {
    method: 'DELETE',
    path: '/v1/agents/:agentId/keys/:keyId',
    access: 'owner',
    summary: 'End a key at once',
  },

  listApprovals: {
    method: 'GET',
    path: '/v1/approvals',
    access: 'owner',
    summary: 'What waits for the owner, and what was decided',
  },
  getApproval: {
    method: 'GET',
    path: '/v1/approvals/:approvalId',
    access: 'any-agent',
    summary: 'One approval, with its result',
  },
  grantApproval: {
    method: 'POST',
    path: '/v1/approvals/:approvalId/grant',
    access: 'owner',
    summary: 'Allow exactly what was shown',
  },
  denyApproval: {
    method: 'POST',
    path: '/v1/approvals/:approvalId/deny',
    access: 'owner',
    summary: 'Refuse it',
  },
  listGrants: { method: 'GET', path: '/v1/grants', access: 'owner', summary: 'Standing approvals' },
  revokeGrant: {
    method: 'DELETE',
    path: '/v1/grants/:grantId',
    access: 'owner',
    summary: 'End a standing approval',
  },

  freeze: { method: 'POST', path: '/v1/freeze', access: 'owner', summary: 'Stop everything at once' },
  unfreeze: { method: 'POST', path: '/v1/unfreeze', access: 'owner', summary: 'Lift the freeze' },
  lock: { method: 'POST', path: '/v1/lock', access: 'owner', summary: 'Drop all signing keys from memory' },
  unlock: {
    method: 'POST',
    path: '/v1/unlock',
    access: 'owner',
    summary: 'Load the signing keys into memory',
  },
  changePassphrase: {
    method: 'POST',
    path: '/v1/passphrase',
    access: 'owner',
    summary: 'Change the passphrase that protects the keys',
  },

  dashboard: {
    method: 'GET',
    path: '/v1/dashboard',
    access: 'owner',
    summary: 'Treasury, agents and recent activity',
  },
  activity: {
    method: 'GET',
    path: '/v1/activity',
    access: 'owner',
    summary: 'Every transfer and every refusal, newest first, filtered',
  },
  getTransfer: {
    method: 'GET',
    path: '/v1/transfers/:transferId',
    access: 'owner',
    summary: 'One transfer with its states and times',
  },
  spending: {
    method: 'GET',
    path: '/v1/spending',
    access: 'owner',
    summary: 'What was spent by day, by agent and by service',
  },
  deposits: {
    method: 'GET',
    path: '/v1/treasury/deposits',
    access: 'owner',
    summary: 'USDC that came in from outside',
  },
  getCeiling: {
    method: 'GET',
    path: '/v1/treasury/policy',
    access: 'owner',
    summary: 'The owner’s ceiling over all agents',
  },
  setCeiling: {
    method: 'POST',
    path: '/v1/treasury/policy',
    access: 'owner',
    summary: 'Set the ceiling, or null for none',
  },
  withdraw: {
    method: 'POST',
    path: '/v1/treasury/withdraw',
    access: 'owner',
    summary: 'Send USDC or SOL out of the treasury',
  },
  statement: {
    method: 'GET',
    path: '/v1/statement',
    access: 'owner',
    summary: 'All transfers of a period, as CSV or JSON',
  },
  backup: {
    method: 'POST',
    path: '/v1/backup',
    access: 'owner',
    summary: 'Copy the records to a file of the data folder, while payments go on',
  },
  about: {
    method: 'GET',
    path: '/v1/about',
    access: 'owner',
    summary: 'Version, network, data folder and what protects the keys',
  },
  diagnostics: {
    method: 'GET',
    path: '/v1/diagnostics',
    access: 'owner',
    summary: 'Diagnostics for support, without secrets',
  },
  events: {
    method: 'GET',
    path: '/v1/events',
    access: 'owner',
    summary: 'What happens, as server-sent events',
  },
  faucet: {
    method: 'POST',
    path: '/v1/sandbox/faucet',
    access: 'owner',
    summary: 'Sandbox only: deposit test USDC from outside',
  },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;

/** Whether a route takes an `owner` parameter. */
export const needsOwner = ({ access }: Route): boolean => access !== 'public' && access !== 'identity';

type Values = Readonly<Record<string, unknown>>;

/** A route's path with its parameters filled in, followed by the owner and the query. */
export const urlOf = (
  path: string,
  owner: string,
  { params = {}, query = {} }: { params?: unknown; query?: unknown } = {},
): string => {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String((params as Values)[name])),
  );
  const search = new URLSearchParams({ owner });
  for (const [name, value] of Object.entries(query as Values)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return `${filled}?${search}`;
};
