// Invalidates queries after a change to an image model or a provider: a model that is not offered is not a service.
import { queries } from '../../stores/queries.ts';

export const rereadModels = async (): Promise<void> => {
  await Promise.all(
    ['listModelSettings', 'listImageProviders', 'searchServices'].map((name) =>
      queries.invalidateQueries({ queryKey: [name] }),
    ),
  );
};
