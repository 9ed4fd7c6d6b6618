// The owner's suppliers of language models, each with its key in the vault, and the owner's settings for their models.
import {
  kindOf,
  modelServiceId,
  priceFieldNames,
  priceList,
  supplierKinds,
} from '../contract/models/suppliers.ts';
import type { Body, Reply } from '../contract/schemas.ts';
import { done, type EngineContext } from '../engine/calls/call.ts';
import { iso } from '../engine/calls/views.ts';
import { noPrices, settingsIn } from '../engine/domain/language-model.ts';
import type { GatewayDeps } from '../engine/models/gateway.ts';
import type {
  LanguageModel,
  LanguageModels,
  ModelSettings,
  ModelSupplier,
  SomeOperations,
} from '../engine/ports.ts';
import { AppError, fieldError } from '../errors.ts';
import { addressFault, type AddressRules } from '../lib/net/supplier-address.ts';
import { formatUsdc, usdc } from '../money.ts';
import type { Vault } from '../vault/vault.ts';
import { keepKey } from './language-models.ts';
import { reportsUsage, tryAgain, tryUsage } from './usage-trial.ts';
import { enterUsed, lacking, noteOn, refuseBeforeCompared } from './used-since.ts';

export interface ModelSupplierDeps extends GatewayDeps {
  context: EngineContext;
  vault: Pick<Vault, 'getSecret' | 'setSecret'>;
  rules: AddressRules;
}

export const modelSupplierOperations = (deps: ModelSupplierDeps) => {
  const { context, languageModels: models } = deps;
  const view = (supplier: ModelSupplier) => supplierView(context, supplier);
  return {
    operations: {
      listModelSuppliers: () => done({ suppliers: models.suppliers().map(view) }),
      addModelSupplier: ({ body }) => done(add(deps, body)),
      setModelSupplier: ({ params, body }) => done(view(change(deps, params.supplierId, body))),
      removeModelSupplier: ({ params }) => done(remove(deps, params.supplierId)),
      async listLanguageModels() {
        await models.ready();
        const all = models
          .suppliers()
          .flatMap((one) => models.models(one).map((model) => modelView(one, model)));
        return done({ models: all, priceList });
      },
      async setLanguageModel({ body }) {
        await models.ready();
        const supplier = supplierNamed(models, body.supplierId, 'supplierId');
        const { store, time } = context;
        const priced = priceFieldNames.find((name) => body[name] != null);
        if (supplier.kind === 'seller' && priced !== undefined)
          throw fieldError(priced, 'a seller asks for its price with each request');
        const settings = changed(store.languageModels.list(), body, time.now());
        store.atomically(() => store.languageModels.set(settings));
        return done(modelView(supplier, models.model(supplier, body.modelId)));
      },
    } satisfies SomeOperations,
    /** @throws AppError `not_found` when a path names a supplier that is not there */
    checkPath({ supplierId }: Readonly<Record<string, unknown>>): void {
      if (typeof supplierId === 'string') supplierNamed(models, supplierId);
    },
  };
};

const supplierNamed = (models: LanguageModels, supplierId: string, field?: string): ModelSupplier => {
  const known = models.suppliers().find(({ id }) => id === supplierId);
  if (known !== undefined) return known;
  throw field === undefined
    ? new AppError('not_found', `There is no supplier ${supplierId}.`)
    : fieldError(field, `there is no supplier ${supplierId}`, 'not_found');
};

const add = (
  deps: ModelSupplierDeps,
  { kind, name, apiKey, allowPrivate = false, ...body }: Body<'addModelSupplier'>,
): Reply<'addModelSupplier'> => {
  const { store, time } = deps.context;
  refuseBeforeCompared(store);
  const baseUrl = body.baseUrl ?? kindOf(kind).baseUrl;
  if (baseUrl === null) throw fieldError('baseUrl', 'is required: it is the address of your server');
  const supplier: ModelSupplier = {
    id: newIdOf(name, kind, store.modelSuppliers.ids()),
    kind,
    name,
    baseUrl,
    hasKey: apiKey !== undefined,
    allowPrivate,
    enabled: true,
    factor: 1_000_000n,
    extraFields: [],
    createdAt: time.now(),
    removedAt: null,
  };
  check(deps, supplier, apiKey);
  if (apiKey !== undefined) keepKey(deps.vault, supplier, apiKey);
  const enabled = lacking(deps.context, supplier).lacksUseOf.length === 0;
  const added = save(deps, { ...supplier, enabled });
  void tryUsage(deps, added);
  return { supplierId: added.id, enabled };
};

/** Short, from the name, and never that of another supplier, also not of one that was removed. */
const newIdOf = (name: string, kind: string, taken: readonly string[]): string => {
  const slug =
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 32) || kind;
  let id = slug;
  for (let count = 2; taken.includes(id); count += 1) id = `${slug}-${count}`;
  return id;
};

const check = (
  { rules }: ModelSupplierDeps,
  supplier: ModelSupplier,
  apiKey: string | null | undefined,
): void => {
  if (supplier.kind === 'seller' && apiKey != null)
    throw fieldError('apiKey', 'a seller takes payment, and no key: leave it out');
  if (supplier.allowPrivate && supplier.kind !== 'openai-compatible')
    throw fieldError('allowPrivate', `is only for ${supplierKinds['openai-compatible'].label.toLowerCase()}`);
  const fault = addressFault(supplier, rules);
  if (fault !== null) throw fieldError('baseUrl', fault);
};

const change = (
  deps: ModelSupplierDeps,
  id: string,
  { apiKey, usedSince = {}, ...body }: Body<'setModelSupplier'>,
): ModelSupplier => {
  const before = supplierNamed(deps.languageModels, id);
  const sent = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
  const hasKey = apiKey === undefined ? before.hasKey : apiKey !== null;
  const next: ModelSupplier = { ...before, ...sent, hasKey };
  check(deps, next, apiKey);
  // A key is sent only to the address that the owner entered it for.
  if (apiKey === undefined && before.hasKey && next.baseUrl !== before.baseUrl)
    throw fieldError('apiKey', 'enter it again with another baseUrl');
  enterUsed(deps.context, before, usedSince, next.enabled && !before.enabled);
  if (apiKey !== undefined) keepKey(deps.vault, next, apiKey);
  return tryAgain(deps, before, save(deps, next));
};

const remove = (deps: ModelSupplierDeps, id: string): Reply<'removeModelSupplier'> => {
  const before = supplierNamed(deps.languageModels, id);
  if (before.hasKey) keepKey(deps.vault, before, null);
  save(deps, { ...before, hasKey: false, enabled: false, removedAt: deps.context.time.now() });
  return { supplierId: id, removed: true };
};

/** With the service that it is for limits, lists of allowed services, and blocking. */
const save = ({ context }: ModelSupplierDeps, supplier: ModelSupplier): ModelSupplier => {
  const { store, publish } = context;
  const serviceId = modelServiceId(supplier.id);
  const { label, wire } = kindOf(supplier.kind);
  store.atomically(() => {
    store.modelSuppliers.set(supplier);
    if (supplier.enabled) noteOn(context, supplier);
    if (supplier.removedAt !== null) return store.services.remove(serviceId);
    store.services.upsert({
      id: serviceId,
      name: supplier.name,
      description:
        wire === null
          ? 'Language models, paid for with each request.'
          : `Language models, by your own account (${label}).`,
      category: 'language models',
      source: 'model-registry',
      endpoint: `POST /v1/agents/{agentId}/llm/${wire ?? 'openai'}/v1`,
      origin: '',
      payees: [],
      pricing: {},
      price: null,
      vouched: false,
    });
  });
  publish({ type: 'service', serviceId });
  return supplier;
};

const changed = (
  all: readonly ModelSettings[],
  { supplierId, modelId, ...body }: Body<'setLanguageModel'>,
  now: number,
): ModelSettings => {
  const before = settingsIn(all, supplierId, modelId);
  const sent = priceFieldNames.filter((name) => body[name] !== undefined);
  const prices = {
    ...before,
    ...Object.fromEntries(sent.map((name) => [name.replace('PerMillion', ''), body[name]])),
  };
  if ((prices.input === null) !== (prices.output === null))
    throw fieldError(
      prices.input === null ? 'inputPerMillion' : 'outputPerMillion',
      'a price has both: for input and for output',
    );
  const [cache] = sent.filter((name) => name.startsWith('cache') && body[name] !== null);
  if (prices.input === null && cache !== undefined)
    throw fieldError(cache, 'needs your price for input and output');
  return {
    ...prices,
    ...(prices.input === null ? noPrices : sent.length === 0 ? {} : { pricedAt: now }),
    maxOutput: body.maxOutput === undefined ? before.maxOutput : body.maxOutput,
    enabled: body.enabled ?? before.enabled,
    isDefault: body.isDefault ?? before.isDefault,
  };
};

const supplierView = (context: EngineContext, supplier: ModelSupplier): Reply<'setModelSupplier'> => {
  const { id, factor, extraFields, createdAt, removedAt: _, ...rest } = supplier;
  return {
    ...rest,
    supplierId: id,
    serviceId: modelServiceId(id),
    factor: formatUsdc(usdc(factor)),
    extraFields: [...extraFields],
    addedAt: iso(createdAt),
    reportsUsage: reportsUsage(context.store, supplier),
    ...lacking(context, supplier),
  };
};

const decimal = (price: bigint): string => formatUsdc(usdc(price));

const modelView = (
  supplier: ModelSupplier,
  { id, prices, pricedAt, ...rest }: LanguageModel,
): Reply<'setLanguageModel'> => ({
  ...rest,
  supplierId: supplier.id,
  modelId: id,
  inputPerMillion: prices && decimal(prices.input),
  outputPerMillion: prices && decimal(prices.output),
  cachedInputPerMillion: prices && decimal(prices.cachedInput),
  cacheWritePerMillion: prices && decimal(prices.cacheWrite),
  tiers: (prices?.tiers ?? []).map(({ above, input, output }) => ({
    above,
    inputPerMillion: decimal(input),
    outputPerMillion: decimal(output),
  })),
  pricedAt: pricedAt === null ? null : iso(pricedAt),
});
