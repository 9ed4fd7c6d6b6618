// The prices of language models, by the price list that package.json pins. A model is found by its exact id at its supplier,
// and never by a beginning: a new and dearer model would get an old price.
import { findProvider, type ModelInfo, type ModelPrice } from '@pydantic/genai-prices';
import type { SupplierKindName } from '../contract/models/suppliers.ts';
import type { ModelPrices, PriceList } from '../engine/ports.ts';

/** Kinds whose models the list has, by the same name. */
const listed: readonly SupplierKindName[] = ['openai', 'anthropic', 'google', 'openrouter'];

export const createPriceList = (): PriceList => {
  const byId = new Map(listed.map((kind) => [kind, modelsOf(kind)]));
  return {
    find(kind, modelId, now) {
      const model = byId.get(kind)?.get(modelId);
      const price = model && priceAt(model, now);
      const prices = price && pricesIn(price, modelId.includes('embedding'));
      return prices ? { prices, window: model?.context_window ?? null } : null;
    },
    ids: (kind) => [...(byId.get(kind) ?? [])].flatMap(([id, model]) => (id === model.id ? [id] : [])),
  };
};

const modelsOf = (kind: SupplierKindName): ReadonlyMap<string, ModelInfo> => {
  // The package finds a provider by parts of a name, too.
  const provider = findProvider({ providerId: kind });
  const all = provider?.id === kind ? provider.models : [];
  // The list's Google is its cloud too, which sells the models of others at another address.
  const models = all.filter(({ id }) => kind !== 'google' || /^gem(ini|ma)-/.test(id));
  return new Map(models.flatMap((model) => idsOf(model).map((id) => [id, model] as const)));
};

/** The list's rules may match many ids; only those that it spells out count. */
const idsOf = ({ id, match }: ModelInfo): string[] => {
  const rules = 'or' in match ? match.or : [match];
  return [id, ...rules.flatMap((rule) => ('equals' in rule ? [rule.equals] : []))];
};

/** Undefined where the price depends on the time of day. */
const priceAt = ({ prices }: ModelInfo, now: number): ModelPrice | undefined => {
  if (!Array.isArray(prices)) return prices;
  if (prices.some(({ constraint }) => constraint?.type === 'time_of_date')) return undefined;
  return prices.findLast(
    ({ constraint }) => constraint?.type !== 'start_date' || now >= Date.parse(constraint.start_date),
  )?.prices;
};

/** Units that a request of text and pictures cannot use, or that are refused before it is sent. */
const unused = /audio|^(web|storage)_searches_kcount$/;
const read = ['input_mtok', 'output_mtok', 'cache_read_mtok', 'cache_write_mtok', 'cache_write_1h_mtok'];

/** Null where tokens alone do not tell the cost, and for a price of nothing, which only the owner can set. */
const pricesIn = (price: ModelPrice, isEmbedding: boolean): ModelPrices | null => {
  const units = Object.keys(price).filter((name) => price[name] !== undefined && !unused.test(name));
  if (units.some((name) => !read.includes(name))) return null;
  const starts = Object.values(price).flatMap((one) =>
    typeof one === 'object' ? one.tiers.map(({ start }) => start) : [],
  );
  const base = pricesAbove(price, 0, isEmbedding);
  if (base === null || base.input + base.output === 0n) return null;
  const tiers = [...new Set(starts)]
    .toSorted((a, b) => a - b)
    .map((above) => ({ above, ...(pricesAbove(price, above + 1, isEmbedding) ?? base) }));
  return { ...base, ...(tiers.length === 0 ? {} : { tiers }) };
};

const pricesAbove = (price: ModelPrice, tokens: number, isEmbedding: boolean): ModelPrices | null => {
  const at = (name: string): bigint | undefined => {
    const one = price[name];
    const usd =
      typeof one === 'object' ? (one.tiers.findLast(({ start }) => tokens > start)?.price ?? one.base) : one;
    // Rounded up to a micro-USDC, past the noise of binary fractions.
    return usd === undefined ? undefined : BigInt(Math.ceil(Number((usd * 1_000_000).toFixed(3))));
  };
  const [input, output = isEmbedding ? 0n : undefined] = [at('input_mtok'), at('output_mtok')];
  if (input === undefined || output === undefined) return null;
  const cacheWrite = at('cache_write_mtok') ?? input;
  return {
    input,
    cachedInput: at('cache_read_mtok') ?? input,
    cacheWrite,
    hourCacheWrite: at('cache_write_1h_mtok') ?? cacheWrite,
    output,
  };
};
