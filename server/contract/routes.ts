// Every route of /v1. Free of zod, since the renderer and the bridge import it too.
import { anchorRoutes } from './books/anchor-routes.ts';
import { boostRoutes } from './limits/boost-routes.ts';
import { coldRoutes } from './treasury/cold-routes.ts';
import { linkRoutes } from './sign-in/link-routes.ts';
import { bookRoutes } from './books/book-routes.ts';
import { noticeRoutes } from './notices/notice-routes.ts';
import { phoneRoutes } from './phones/phone-routes.ts';
import { anyAgent, anyKey, anyone, owner, thisAgent, type Route } from './route.ts';
import { watchRoutes } from './watch/watch-routes.ts';

export { needsOwner, urlOf } from './route.ts';
export type { Access, Route } from './route.ts';

export const routes = {
  // This host
  health: anyone('GET /v1/health', 'Is the treasury there?'),
  openapi: anyone('GET /v1/openapi.json', 'This interface as OpenAPI 3.1'),

  // Sessions and logins
  openSession: anyone(
    'POST /v1/session',
    'Trade a one-time login token, or an owner token, for a session of the dashboard',
  ),
  endSession: owner('DELETE /v1/session', 'End this session, and those of the browser’s other tabs'),
  admitPage: owner(
    'POST /v1/session/pages',
    'Admit another page of the dashboard in the same browser to this session for a minute',
  ),
  openLogin: anyone('POST /v1/logins', 'Ask the owner to give a terminal full access for 15 minutes'),
  claimLogin: anyone('POST /v1/logins/:loginId/claim', 'Get a login; its token once, when it was granted'),
  listLogins: owner('GET /v1/logins', 'Logins that wait'),
  grantLogin: owner('POST /v1/logins/:loginId/grant', 'Allow the login'),
  denyLogin: owner('POST /v1/logins/:loginId/deny', 'Refuse it'),

  ...linkRoutes,

  // Catalog
  searchServices: anyone('GET /v1/services/search', 'Find paid services'),
  serviceCategories: anyone('GET /v1/services/categories', 'The catalog’s categories, largest first'),
  getService: owner(
    'GET /v1/services/:serviceId',
    'One service, and whether it is blocked for all agents or its seller is trusted',
  ),
  setServiceRule: owner(
    'POST /v1/services/:serviceId/rules',
    'Block a service for all agents, or trust its seller; only sent fields change',
  ),
  previewService: owner(
    'POST /v1/services/preview',
    'Preview a paid API’s price and payees; nothing is paid or stored',
  ),
  addService: owner('POST /v1/services', 'Take a service into the catalog exactly as the preview showed it'),
  removeService: owner(
    'DELETE /v1/services/:serviceId',
    'Remove a service that the owner added; it can no longer be paid',
  ),
  addMcpServer: owner(
    'POST /v1/mcp-servers',
    'Register an MCP server of this machine as the service mcp:NAME; each of its payees needs your approval once',
  ),
  acceptPayees: owner('POST /v1/services/:serviceId/payees', 'Accept a service’s new payees'),
  listSources: owner('GET /v1/catalog-sources', 'The catalog’s sources'),
  addSource: owner('POST /v1/catalog-sources', 'Import a facilitator’s list'),
  refreshSource: owner('POST /v1/catalog-sources/:sourceId/refresh', 'Import it again now'),
  removeSource: owner('DELETE /v1/catalog-sources/:sourceId', 'Stop importing it'),

  // Pictures
  listModels: anyone('GET /v1/models', 'The image models that can be used, with their prices'),
  listModelSettings: owner('GET /v1/models/settings', 'Every model, offered or not'),
  setModel: owner(
    'POST /v1/models/:modelId',
    'Change a model’s prices, or whether it is offered; only sent fields change',
  ),
  listImageProviders: owner(
    'GET /v1/image-providers',
    'The image providers, and which of them have the owner’s key',
  ),
  setImageProvider: owner(
    'POST /v1/image-providers/:providerId',
    'The owner’s key at a provider, its address, and how much it is asked at once',
  ),
  generate: anyKey('POST /v1/agents/:agentId/generate', 'Have a picture made, charged to the agent’s wallet'),
  listTasks: thisAgent('GET /v1/agents/:agentId/tasks', 'The agent’s generation tasks, newest first'),
  getTask: anyKey('GET /v1/agents/:agentId/tasks/:taskId', 'Get a generation task'),
  taskImage: anyKey('GET /v1/agents/:agentId/tasks/:taskId/image', 'The picture itself'),
  cancelTask: thisAgent(
    'POST /v1/agents/:agentId/tasks/:taskId/cancel',
    'Give up a task that is still queued; it is refunded',
  ),
  gallery: owner('GET /v1/tasks', 'The generation tasks of all agents, newest first'),
  picture: anyAgent('GET /v1/tasks/:taskId/picture', 'A picture as a data URL, small or whole'),

  // Agents
  deploy: anyAgent('POST /v1/agents/deploy', 'Create an agent with a wallet and a policy'),
  listAgents: owner('GET /v1/agents', 'All agents'),
  balance: anyKey('GET /v1/agents/:agentId/balance', 'USDC in the agent’s wallet'),
  agentEvents: thisAgent(
    'GET /v1/agents/:agentId/events',
    'The agent’s own payments, pictures, approvals, policy and stops as they change, as server-sent events',
  ),

  // Policy
  getPolicy: thisAgent('GET /v1/agents/:agentId/policy', 'The policy in force'),
  setPolicy: thisAgent('POST /v1/agents/:agentId/policy', 'Change the policy; only sent fields change'),
  getLimits: anyKey('GET /v1/agents/:agentId/limits', 'What is used of its budgets and numbers'),
  previewPolicy: owner(
    'POST /v1/agents/:agentId/policy/preview',
    'The effect that a changed policy would have had on the payments of the last 30 days; changes nothing',
  ),

  ...watchRoutes,

  // Funds, stops and names of an agent
  allocate: thisAgent('POST /v1/agents/:agentId/allocate', 'Move USDC from the treasury to the agent'),
  recall: owner('POST /v1/agents/:agentId/recall', 'Move USDC from the agent back to the treasury'),
  archive: owner('POST /v1/agents/:agentId/archive', 'Recall everything, revoke all keys, hide the agent'),
  kill: thisAgent('POST /v1/agents/:agentId/kill', 'Suspend the agent: it pays nothing until it is resumed'),
  resume: thisAgent('POST /v1/agents/:agentId/resume', 'Let a suspended agent pay again'),
  markAgent: owner(
    'POST /v1/agents/:agentId/marks',
    'Change its colour, its picture or its tags; only sent fields change',
  ),
  rename: thisAgent('POST /v1/agents/:agentId/rename', 'Change the label; the id stays'),

  // Groups of agents
  listGroups: owner('GET /v1/groups', 'The groups, with their agents, limits and what is used of them'),
  createGroup: owner('POST /v1/groups', 'Create a group'),
  getGroup: owner('GET /v1/groups/:groupId', 'One group'),
  renameGroup: owner('POST /v1/groups/:groupId/rename', 'Change its name'),
  setGroupLimits: owner(
    'POST /v1/groups/:groupId/limits',
    'Change what its agents may spend together; only sent fields change',
  ),
  archiveGroup: owner('POST /v1/groups/:groupId/archive', 'Hide a group that has no agents'),
  stopGroup: owner('POST /v1/groups/:groupId/stop', 'Suspend all its agents'),
  resumeGroup: owner('POST /v1/groups/:groupId/resume', 'Resume the agents that its stop suspended'),
  setAgentGroup: owner('POST /v1/agents/:agentId/group', 'Put the agent into a group, or into none'),

  ...boostRoutes,
  ...coldRoutes,

  // Payments
  pay: anyKey('POST /v1/agents/:agentId/pay', 'Pay a service and get the receipt'),
  fetch: anyKey(
    'POST /v1/agents/:agentId/fetch',
    'Ask a paid API, pay what its 402 asks for within the policy, and get its answer',
  ),
  explainPolicy: anyKey(
    'POST /v1/agents/:agentId/policy/explain',
    'The verdict on a payment if the agent asked for it now; pays nothing, changes nothing',
  ),
  getPayment: anyKey('GET /v1/agents/:agentId/payments/:paymentId', 'Get a payment'),
  answer: anyKey(
    'GET /v1/agents/:agentId/payments/:paymentId/answer',
    'The body of what the seller delivered, as long as it is kept',
  ),
  received: anyKey(
    'POST /v1/agents/:agentId/payments/:paymentId/received',
    'The client has the answer: it need not be kept any longer',
  ),
  spendHistory: anyKey('GET /v1/agents/:agentId/spend-history', 'Payments, newest first'),

  // API keys
  listKeys: owner('GET /v1/agents/:agentId/keys', 'The agent’s API keys, without the keys'),
  addKey: owner('POST /v1/agents/:agentId/keys', 'Another API key, shown once'),
  rotateKey: owner(
    'POST /v1/agents/:agentId/keys/:keyId/rotate',
    'A new key; the old one lives 24 h more, or ends now',
  ),
  revokeKey: owner('DELETE /v1/agents/:agentId/keys/:keyId', 'End a key at once'),

  // Delegated keys
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

  // Approvals
  listApprovals: owner('GET /v1/approvals', 'Approvals that wait for the owner, and decided ones'),
  getApproval: anyAgent('GET /v1/approvals/:approvalId', 'One approval, with its result'),
  grantApproval: owner('POST /v1/approvals/:approvalId/grant', 'Allow exactly what was shown'),
  denyApproval: owner('POST /v1/approvals/:approvalId/deny', 'Decline it, at once or after a moment to undo'),
  undoDenial: owner(
    'POST /v1/approvals/:approvalId/undo-deny',
    'Take back a denial that has not taken effect',
  ),
  listGrants: owner('GET /v1/grants', 'Standing approvals'),
  revokeGrant: owner('DELETE /v1/grants/:grantId', 'End a standing approval'),

  ...phoneRoutes,

  // Stops
  freeze: owner('POST /v1/freeze', 'Stop everything at once'),
  unfreeze: owner('POST /v1/unfreeze', 'Lift the freeze'),
  lock: owner('POST /v1/lock', 'Drop all signing keys from memory'),
  unlock: owner('POST /v1/unlock', 'Load the signing keys into memory'),
  changePassphrase: owner('POST /v1/passphrase', 'Change the passphrase that protects the keys'),
  keepPhrase: owner('POST /v1/treasury/phrase-kept', 'Note that the recovery phrase is on paper'),

  // Transfers and funds
  dashboard: owner('GET /v1/dashboard', 'Treasury, agents and recent activity'),
  activity: owner('GET /v1/activity', 'Every transfer and every refusal, newest first, filtered'),
  totals: owner(
    'GET /v1/activity/totals',
    'What was spent in a period, by agent and by service; filtered as the activity is',
  ),
  getTransfer: owner('GET /v1/transfers/:transferId', 'One transfer with its states and times'),
  spending: owner('GET /v1/spending', 'Spending by day, by agent and by service'),
  deposits: owner('GET /v1/treasury/deposits', 'USDC and SOL that came in from outside'),
  getCeiling: owner('GET /v1/treasury/policy', 'The owner’s ceiling over all agents'),
  setCeiling: owner('POST /v1/treasury/policy', 'Set the ceiling, or null for none'),
  getTreasuryLimits: owner('GET /v1/treasury/limits', 'All limits over all agents, the ceiling among them'),
  setTreasuryLimits: owner(
    'POST /v1/treasury/limits',
    'Change what all agents may spend together; only sent fields change',
  ),
  getTimeZone: owner('GET /v1/treasury/time-zone', 'The time zone by whose calendar monthly budgets count'),
  setTimeZone: owner(
    'POST /v1/treasury/time-zone',
    'Set the time zone; the running month counts by its clock',
  ),
  withdraw: owner('POST /v1/treasury/withdraw', 'Send USDC or SOL out of the treasury'),
  statement: owner('GET /v1/statement', 'All transfers of a period, as CSV or JSON'),

  ...bookRoutes,
  ...anchorRoutes,
  ...noticeRoutes,

  // Upkeep
  backup: owner('POST /v1/backup', 'Copy the records to a file of the data folder, while payments go on'),
  about: owner('GET /v1/about', 'Version, network, data folder and what protects the keys'),
  diagnostics: owner('GET /v1/diagnostics', 'Diagnostics for support, without secrets'),
  events: owner('GET /v1/events', 'Every change, as server-sent events'),
  faucet: owner('POST /v1/sandbox/faucet', 'Sandbox only: deposit test USDC from outside'),
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;
