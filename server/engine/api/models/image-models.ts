// The image models, and the owner's settings for them.
import { AppError } from '../../../errors.ts';
import { formatUsdc, type Usdc } from '../../../money.ts';
import type { Reply } from '../../../contract/schemas.ts';
import { done, type EngineContext } from '../../calls/call.ts';
import type { ImageProviders, Model, Service, SomeOperations } from '../../ports.ts';

/** Brings the catalog in line with the image models on offer: it lists each of them as a service. */
export const listModelsAsServices = (
  { store, settings }: Pick<EngineContext, 'store' | 'settings'>,
  providers: ImageProviders,
): void =>
  store.atomically(() => {
    for (const model of providers.models()) {
      if (isOffered(providers, model)) store.services.upsert(serviceOf(model, settings.owner));
      else if (store.services.listed(model.id) !== undefined) store.services.remove(model.id);
    }
  });

/** @throws AppError `not_found` */
export const modelNamed = (providers: ImageProviders, modelId: string): Model => {
  const model = providers.models().find(({ id }) => id === modelId);
  if (model === undefined) throw new AppError('not_found', `There is no model ${modelId}.`);
  return model;
};

const isOffered = (providers: ImageProviders, model: Model): boolean =>
  model.enabled && providers.usable(model);

export const modelOperations = (
  context: Pick<EngineContext, 'store' | 'settings'>,
  providers: ImageProviders,
) => {
  const { store } = context;

  const settingsOf = (model: Model): Reply<'setModel'> => ({
    ...view(model),
    usable: providers.usable(model),
    shippedPricing: { ...model.shippedPricing },
    providerId: model.providerId,
  });

  return {
    listModels: () =>
      done({
        models: providers
          .models()
          .filter((model) => isOffered(providers, model))
          .map(view),
      }),
    listModelSettings: () => done({ models: providers.models().map(settingsOf) }),
    setModel({ params, body }) {
      const model = modelNamed(providers, params.modelId);
      const unknown = Object.keys(body.pricing ?? {}).find((name) => !(name in model.shippedPricing));
      if (unknown !== undefined)
        throw new AppError(
          'bad_request',
          `pricing.${unknown}: ${model.displayName} does not make ${unknown}.`,
        );
      const before = store.models.changes().get(model.id) ?? { enabled: null, pricing: {} };
      const prices = Object.entries(body.pricing ?? {}).map(([name, price]) => [
        name,
        formatUsdc(price as Usdc),
      ]);
      store.atomically(() =>
        store.models.change(model.id, {
          enabled: body.enabled ?? before.enabled,
          pricing: { ...before.pricing, ...Object.fromEntries(prices) },
        }),
      );
      listModelsAsServices(context, providers);
      return done(settingsOf(modelNamed(providers, model.id)));
    },
  } satisfies SomeOperations;
};

const view = ({ id, displayName, provider, description, pricing, enabled }: Model) => ({
  id,
  displayName,
  provider,
  description,
  pricing: { ...pricing },
  enabled,
});

/** An image model as a service of the treasury itself. */
const serviceOf = (model: Model, owner: string): Service => ({
  id: model.id,
  name: model.displayName,
  description: `${model.description} By ${model.provider}.`,
  category: 'image',
  source: 'model-registry',
  endpoint: 'POST /v1/agents/{agentId}/generate',
  origin: '',
  payees: [owner],
  pricing: { ...model.pricing },
  price: null,
  vouched: true,
});
