// The routes of language models: the suppliers that the owner has an account with, and what each model costs.
import { anyKey, owner, type Route } from '../route.ts';

export const modelRoutes = {
  listModelSuppliers: owner('GET /v1/model-suppliers', 'The suppliers of language models'),
  addModelSupplier: owner(
    'POST /v1/model-suppliers',
    'Add a supplier of language models; its key goes into the vault',
  ),
  setModelSupplier: owner(
    'POST /v1/model-suppliers/:supplierId',
    'Change a supplier of language models; only sent fields change',
  ),
  removeModelSupplier: owner(
    'DELETE /v1/model-suppliers/:supplierId',
    'Remove a supplier of language models, with its key; its id is never given again',
  ),
  listLanguageModels: owner(
    'GET /v1/language-models',
    'The language models of all suppliers, with their prices',
  ),
  setLanguageModel: owner(
    'POST /v1/language-models',
    'The owner’s price of a language model, its most output, and whether it can be used; only sent fields change',
  ),
  modelUsage: anyKey(
    'GET /v1/agents/:agentId/model-usage',
    'What the agent used of language models, by day, supplier and model, and its last requests',
  ),
  allModelUsage: owner('GET /v1/model-usage', 'The same of all agents'),
} as const satisfies Record<string, Route>;
