// Reads again after a change to an image model or a provider: a model that is not offered is not a service.
import { reread } from '../../stores/queries.ts';

export const rereadModels = (): Promise<void> =>
  reread('listModelSettings', 'listImageProviders', 'searchServices');
