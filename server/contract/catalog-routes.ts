// Routes of services, models and pictures; free of zod.
import type { Route } from './route.ts';

export const catalogRoutes = {
  searchServices: {
    method: 'GET',
    path: '/v1/services/search',
    access: 'public',
    summary: 'Find paid services',
  },
  previewService: {
    method: 'POST',
    path: '/v1/services/preview',
    access: 'owner',
    summary: 'Preview a paid API’s price and payees; nothing is paid or stored',
  },
  addService: {
    method: 'POST',
    path: '/v1/services',
    access: 'owner',
    summary: 'Take a service into the catalog exactly as the preview showed it',
  },
  removeService: {
    method: 'DELETE',
    path: '/v1/services/:serviceId',
    access: 'owner',
    summary: 'Remove a service that the owner added; it can no longer be paid',
  },
  acceptPayees: {
    method: 'POST',
    path: '/v1/services/:serviceId/payees',
    access: 'owner',
    summary: 'Accept a service’s new payees',
  },
  listSources: {
    method: 'GET',
    path: '/v1/catalog-sources',
    access: 'owner',
    summary: 'The catalog’s sources',
  },
  addSource: {
    method: 'POST',
    path: '/v1/catalog-sources',
    access: 'owner',
    summary: 'Import a facilitator’s list',
  },
  refreshSource: {
    method: 'POST',
    path: '/v1/catalog-sources/:sourceId/refresh',
    access: 'owner',
    summary: 'Import it again now',
  },
  removeSource: {
    method: 'DELETE',
    path: '/v1/catalog-sources/:sourceId',
    access: 'owner',
    summary: 'Stop importing it',
  },

  listModels: {
    method: 'GET',
    path: '/v1/models',
    access: 'public',
    summary: 'The image models that can be used, with their prices',
  },
  listModelSettings: {
    method: 'GET',
    path: '/v1/models/settings',
    access: 'owner',
    summary: 'Every model, offered or not',
  },
  setModel: {
    method: 'POST',
    path: '/v1/models/:modelId',
    access: 'owner',
    summary: 'Change a model’s prices, or whether it is offered; only sent fields change',
  },
  listImageProviders: {
    method: 'GET',
    path: '/v1/image-providers',
    access: 'owner',
    summary: 'Who draws the pictures, and which of them have the owner’s key',
  },
  setImageProvider: {
    method: 'POST',
    path: '/v1/image-providers/:providerId',
    access: 'owner',
    summary: 'The owner’s key at a provider, its address, and how much it is asked at once',
  },

  generate: {
    method: 'POST',
    path: '/v1/agents/:agentId/generate',
    access: 'agent',
    summary: 'Have a picture made, charged to the agent’s wallet',
  },
  listTasks: {
    method: 'GET',
    path: '/v1/agents/:agentId/tasks',
    access: 'agent',
    summary: 'The agent’s generation tasks, newest first',
  },
  getTask: {
    method: 'GET',
    path: '/v1/agents/:agentId/tasks/:taskId',
    access: 'agent',
    summary: 'Get a generation task',
  },
  taskImage: {
    method: 'GET',
    path: '/v1/agents/:agentId/tasks/:taskId/image',
    access: 'agent',
    summary: 'The picture itself',
  },
  cancelTask: {
    method: 'POST',
    path: '/v1/agents/:agentId/tasks/:taskId/cancel',
    access: 'agent',
    summary: 'Give up a task that is still queued; it is refunded',
  },
  gallery: {
    method: 'GET',
    path: '/v1/tasks',
    access: 'owner',
    summary: 'The generation tasks of all agents, newest first',
  },
  picture: {
    method: 'GET',
    path: '/v1/tasks/:taskId/picture',
    access: 'any-agent',
    summary: 'A picture as a data URL, small or whole',
  },
} as const satisfies Record<string, Route>;
