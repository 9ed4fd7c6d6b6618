// Image models behind one interface. With an API key, a picture comes from the model's provider; on the sandbox
// network, the painter stands in for a provider without one.
import type { LookupFunction } from 'node:net';
import type { ImageProviders, Model, ModelChange, Network } from '../engine/ports.ts';
import { AppError, invariant } from '../errors.ts';
import type { Log } from '../log.ts';
import { adapters } from './adapters.ts';
import { askProvider } from './ask-provider.ts';
import { registry, sideOf, type RegisteredModel } from './registry.ts';

export interface ProviderSettings {
  /** Null: the provider's default. */
  baseUrl: string | null;
  atOnce: number;
}

export interface AllImageProviders extends ImageProviders {
  providers(): readonly { providerId: string; name: string; keysUrl: string }[];
}

interface ImageProvidersDeps {
  network: Network;
  /** Known even while the vault is locked. */
  hasKey(providerId: string): boolean;
  /** @throws AppError `locked` */
  keyOf(providerId: string): string | undefined;
  settingsOf(providerId: string): ProviderSettings;
  /** The owner's changes, by model id. */
  changes(): ReadonlyMap<string, ModelChange>;
  log: Log;
  /** Resolves a host that a picture is fetched from; by default only to public addresses. */
  lookup?: LookupFunction;
}

const byId = new Map(registry.map((model) => [model.id, model]));

export const createImageProviders = (deps: ImageProvidersDeps): AllImageProviders => {
  const { network, hasKey, keyOf, settingsOf, changes, log, lookup } = deps;
  const isPainted = (model: Model): boolean => network === 'sandbox' && !hasKey(model.providerId);

  return {
    models() {
      const changed = changes();
      return registry.map((model) => withChange(model, changed.get(model.id)));
    },
    providers: () =>
      Object.entries(adapters).map(([providerId, { name, keysUrl }]) => ({ providerId, name, keysUrl })),
    usable: (model) => network === 'sandbox' || hasKey(model.providerId),
    atOnce: (model) => settingsOf(model.providerId).atOnce,
    // No provider here documents an idempotency key under which two requests make, and bill, one picture.
    repeatable: isPainted,

    async draw(model, { taskId, prompt, resolution }, signal) {
      const known = byId.get(model.id);
      invariant(known !== undefined, 'a model that is drawn with is registered');
      const { name, baseUrl } = adapters[known.providerId];
      if (known.pricing[resolution] === undefined)
        throw new AppError('generation_failed', `${known.displayName} does not make ${resolution}.`);
      if (isPainted(model)) {
        const { paint } = await import('./painter.ts');
        return { bytes: await paint({ taskId, prompt, side: sideOf[resolution] }) };
      }
      const apiKey = keyOf(known.providerId);
      if (apiKey === undefined) throw new AppError('generation_failed', `There is no key for ${name}.`);
      const bytes = await askProvider({
        providerId: known.providerId,
        model: known.name,
        asking: known.asking(resolution),
        prompt,
        apiKey,
        baseUrl: settingsOf(known.providerId).baseUrl ?? baseUrl,
        signal,
        log: log.child({ task: taskId, model: known.id }),
        ...(lookup === undefined ? {} : { lookup }),
      });
      return { bytes };
    },
  };
};

const withChange = (
  { id, displayName, providerId, description, pricing, enabled }: RegisteredModel,
  change: ModelChange | undefined,
): Model => ({
  id,
  displayName,
  providerId,
  provider: adapters[providerId].name,
  description,
  // A resolution that the model cannot make has no price, even if one was saved before.
  pricing: Object.fromEntries(
    Object.entries(pricing).map(([resolution, price]) => [
      resolution,
      change?.pricing[resolution as keyof typeof pricing] ?? price,
    ]),
  ),
  shippedPricing: pricing,
  enabled: change?.enabled ?? enabled,
});
