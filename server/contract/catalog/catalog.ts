// The catalog: services, MCP servers, the lists that services are imported from, and image models with their tasks.
import { anyAgent, anyKey, anyone, owner, thisAgent, type Route } from '../route.ts';

export const catalogRoutes = {
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
  addSource: owner(
    'POST /v1/catalog-sources',
    'Import a facilitator’s list, or what a seller’s openapi.json sells',
  ),
  refreshSource: owner('POST /v1/catalog-sources/:sourceId/refresh', 'Import it again now'),
  removeSource: owner('DELETE /v1/catalog-sources/:sourceId', 'Stop importing it'),
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
} as const satisfies Record<string, Route>;
