// Which supplier serves a model, and at which prices: the owner's, or else those of the price list for exactly this id.
// The suppliers' keys lie in the vault, each with the address that it was entered for; the rest is in the database.
import { kindOf, priceList, usualCacheWrite, type SupplierKindName } from '../contract/models/suppliers.ts';
import type { EngineContext } from '../engine/calls/call.ts';
import { settingsIn } from '../engine/domain/language-model.ts';
import type {
  LanguageModel,
  LanguageModels,
  ModelPrices,
  ModelSettings,
  ModelSupplier,
  PriceList,
} from '../engine/ports.ts';
import { AppError, invariant } from '../errors.ts';
import type { Vault } from '../vault/vault.ts';

interface Deps {
  store: Pick<EngineContext['store'], 'modelSuppliers' | 'languageModels'>;
  vault: Pick<Vault, 'getSecret' | 'setSecret'>;
  now: () => number;
  /** The list is large: it is loaded when a model is first looked up. */
  loadPrices: () => Promise<PriceList>;
}

const listedKinds = ['openrouter', 'openai', 'anthropic', 'google'];

const secretOf = (supplierId: string): string => `model-supplier-${supplierId}`;

/** Keeps a supplier's key for this address alone; null: forgets it. @throws AppError `locked` */
export const keepKey = (
  vault: Deps['vault'],
  { id, baseUrl }: Pick<ModelSupplier, 'id' | 'baseUrl'>,
  key: string | null,
): void => vault.setSecret(secretOf(id), Buffer.from(key === null ? '' : `${baseUrl}\n${key}`));

export const createLanguageModels = ({ store, vault, now, loadPrices }: Deps): LanguageModels => {
  let loading: Promise<void> | undefined;
  let list: PriceList | undefined;
  const prices = (): PriceList => {
    invariant(list !== undefined, 'the price list is loaded before a model is looked up');
    return list;
  };
  const suppliers = store.modelSuppliers.list;
  const ofApi: LanguageModels['ofApi'] = (wire) =>
    suppliers().filter(({ enabled, kind }) => enabled && kindOf(kind).wire === wire);
  const settingsOf = (supplierId: string): ModelSettings[] =>
    store.languageModels.list().filter((one) => one.supplierId === supplierId);

  const model: LanguageModels['model'] = (supplier, modelId) => {
    const own = settingsOf(supplier.id).find((one) => one.modelId === modelId);
    const known = prices().find(supplier.kind, modelId, now());
    const ownPrices = own && pricesBy(supplier, own);
    return {
      id: modelId,
      prices: ownPrices ?? (known && byFactor(known.prices, supplier.factor)),
      priceSource: ownPrices
        ? 'owner'
        : known !== null
          ? 'list'
          : supplier.kind === 'seller'
            ? 'seller'
            : null,
      pricedAt: ownPrices ? (own?.pricedAt ?? null) : known === null ? null : Date.parse(priceList.date),
      window: known?.window ?? null,
      maxOutput: own?.maxOutput ?? null,
      enabled: own?.enabled ?? true,
      isDefault: own?.isDefault ?? false,
    };
  };

  return {
    ready: () =>
      (loading ??= loadPrices().then(
        (loaded) => void (list = loaded),
        (error: unknown) => {
          loading = undefined;
          throw error;
        },
      )),
    suppliers,
    ofApi,
    model,
    models(supplier) {
      const own = settingsOf(supplier.id).map(({ modelId }) => modelId);
      const all = [...new Set([...own, ...prices().ids(supplier.kind)])].toSorted();
      return all
        .map((id) => model(supplier, id))
        .filter(({ id, ...one }) => one.prices !== null || own.includes(id));
    },
    seller: (name) => sellerNamed(suppliers(), store.languageModels.list(), name),
    find(wire, name) {
      const named = ofApi(wire).flatMap((supplier) =>
        idsIn(supplier, name).map((id) => ({ supplier, model: model(supplier, id), isWhole: id === name })),
      );
      return chosen(name, named);
    },
    listed: (modelId) => listedIn(prices(), modelId, now()),
    keyOf: (supplierId) =>
      keyIn(
        vault,
        suppliers().find(({ id }) => id === supplierId),
      ),
  };
};

const listedIn = (list: PriceList, modelId: string, now: number): ModelPrices | null => {
  const [maker = '', ...id] = modelId.split('/');
  const places = [[maker, id.join('/')] as const, ...listedKinds.map((kind) => [kind, modelId] as const)];
  const found = places.map(([kind, name]) => list.find(kind as SupplierKindName, name, now));
  return found.find((one) => one !== null)?.prices ?? null;
};

/** @throws AppError `locked`; `conflict` for a key that was entered for another address */
const keyIn = (vault: Deps['vault'], supplier: ModelSupplier | undefined): string | undefined => {
  if (supplier?.hasKey !== true) return undefined;
  const [address, key] = (vault.getSecret(secretOf(supplier.id))?.toString('utf8') ?? '').split('\n');
  // The records are older than the vault, or the other way round.
  if (address !== supplier.baseUrl || key === undefined)
    throw new AppError(
      'conflict',
      `Enter the key of ${supplier.name} again: it was kept for another address.`,
    );
  return key;
};

const sellerNamed = (
  all: readonly ModelSupplier[],
  settings: readonly ModelSettings[],
  name: string,
): ReturnType<LanguageModels['seller']> => {
  const sellers = all.filter(({ enabled, kind }) => enabled && kind === 'seller');
  const isDefault = ({ id }: ModelSupplier): boolean => settingsIn(settings, id, name).isDefault;
  const supplier = sellers.find(({ id }) => name.startsWith(`${id}/`)) ?? sellers.find(isDefault);
  if (supplier === undefined) return null;
  const modelId = name.startsWith(`${supplier.id}/`) ? name.slice(supplier.id.length + 1) : name;
  if (!settingsIn(settings, supplier.id, modelId).enabled) throw turnedOff(name);
  return { supplier, modelId };
};

/** A name is an id of every supplier, and of one supplier where it begins with that supplier's id. */
const idsIn = ({ id }: ModelSupplier, name: string): string[] =>
  name.startsWith(`${id}/`) ? [name.slice(id.length + 1), name] : [name];

type Named = { supplier: ModelSupplier; model: LanguageModel; isWhole: boolean };
type Priced = LanguageModel & { prices: ModelPrices };

const chosen = (name: string, named: readonly Named[]): { supplier: ModelSupplier; model: Priced } => {
  const served = named.flatMap(({ supplier, model, isWhole }) =>
    model.prices === null || !model.enabled
      ? []
      : [{ supplier, model: { ...model, prices: model.prices }, isWhole }],
  );
  const [only, ...others] = served;
  if (only !== undefined && others.length === 0) return only;
  const preferred = served.find(({ model, isWhole }) => isWhole && model.isDefault);
  if (preferred !== undefined) return preferred;
  if (only !== undefined) {
    const ways = served.map(({ supplier, model }) => `${supplier.id}/${model.id}`);
    throw new AppError('model_ambiguous', `Several suppliers have ${name}. Name one: ${ways.join(', ')}.`, {
      ways,
    });
  }
  if (named.length === 0)
    throw new AppError('not_found', `There is no model ${name}: no supplier of this API is turned on.`);
  if (named.some(({ model }) => !model.enabled)) throw turnedOff(name);
  throw new AppError(
    'model_unpriced',
    `It is not known what the model ${name} costs. Its owner can enter a price for exactly this id.`,
  );
};

const turnedOff = (name: string): AppError =>
  new AppError('not_found', `The owner turned the model ${name} off.`);

/** The owner's prices, to which the factor does not apply. */
const pricesBy = ({ kind }: ModelSupplier, own: ModelSettings): ModelPrices | null => {
  const { input, output, cachedInput, cacheWrite } = own;
  if (input === null || output === null) return null;
  const written = cacheWrite ?? usualCacheWrite(kind, input);
  return { input, output, cachedInput: cachedInput ?? input, cacheWrite: written };
};

const byFactor = (prices: ModelPrices, factor: bigint): ModelPrices => {
  const scaled = (price: bigint): bigint => (price * factor + 999_999n) / 1_000_000n;
  const all = <T extends ModelPrices>(of: T): T => ({
    ...of,
    input: scaled(of.input),
    cachedInput: scaled(of.cachedInput),
    cacheWrite: scaled(of.cacheWrite),
    output: scaled(of.output),
    ...(of.hourCacheWrite === undefined ? {} : { hourCacheWrite: scaled(of.hourCacheWrite) }),
  });
  return { ...all(prices), ...(prices.tiers === undefined ? {} : { tiers: prices.tiers.map(all) }) };
};
