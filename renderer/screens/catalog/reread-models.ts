// What is read again after the owner changed a model or a provider: a model that is not offered is no service.
import { queries } from '../../stores/queries.ts';

export const rereadModels = async (): Promise<void> => {
  await Promise.all(
    ['listModelSettings', 'listImageProviders', 'searchServices'].map((name) =>
      queries.invalidateQueries({ queryKey: [name] }),
    ),
  );
};
