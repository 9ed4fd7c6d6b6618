// Reads again after a change to a supplier of language models or to a price: a supplier is a service, too.
import type { Reply } from '../../../server/contract/schemas.ts';
import { reread } from '../../stores/queries.ts';

export type Supplier = Reply<'setModelSupplier'>;
export type LanguageModel = Reply<'setLanguageModel'>;

export const rereadLanguageModels = (): Promise<void> =>
  reread('listModelSuppliers', 'listLanguageModels', 'searchServices');

/** After one to an image model or its provider: a model that is not offered is not a service. */
export const rereadModels = (): Promise<void> =>
  reread('listModelSettings', 'listImageProviders', 'searchServices');
