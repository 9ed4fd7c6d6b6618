// Suppliers of language models: their kinds, the fields of a price, and their ids as services. Apart from the routes, so
// that the page fetches this with the screen that shows it.

/** The API that a supplier speaks; nothing is translated from one into another. */
export type ModelWire = 'openai' | 'anthropic';

interface SupplierKind {
  label: string;
  /** Null: both. */
  wire: ModelWire | null;
  /** Where its requests go; null: the owner names the address. */
  baseUrl: string | null;
  /** Where its keys are made; null: it may need none. */
  keysUrl: string | null;
}

export const supplierKinds = {
  openai: {
    label: 'OpenAI',
    wire: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    keysUrl: 'https://platform.openai.com/api-keys',
  },
  anthropic: {
    label: 'Anthropic',
    wire: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    keysUrl: 'https://platform.claude.com/settings/keys',
  },
  google: {
    label: 'Google',
    wire: 'openai',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keysUrl: 'https://aistudio.google.com/apikey',
  },
  openrouter: {
    label: 'OpenRouter',
    wire: 'openai',
    baseUrl: 'https://openrouter.ai/api/v1',
    keysUrl: 'https://openrouter.ai/settings/keys',
  },
  'openai-compatible': {
    label: 'Another server that speaks OpenAI’s API',
    wire: 'openai',
    baseUrl: null,
    keysUrl: null,
  },
  seller: {
    label: 'A seller that asks for payment (402)',
    wire: null,
    baseUrl: null,
    keysUrl: null,
  },
} as const satisfies Record<string, SupplierKind>;

export type SupplierKindName = keyof typeof supplierKinds;
export const supplierKindNames = Object.keys(supplierKinds) as SupplierKindName[];

export const kindOf = (name: SupplierKindName): SupplierKind => supplierKinds[name];

/** Prices that the owner did not enter come from this package, which package.json pins; the date is that of its release. */
export const priceList = { name: '@pydantic/genai-prices 0.1.8', date: '2026-09-23T10:11:04.622Z' } as const;

/** The prices of a model, in the order in which they are shown. */
export const priceFields = {
  inputPerMillion: 'Input',
  outputPerMillion: 'Output',
  cachedInputPerMillion: 'Cached input',
  cacheWritePerMillion: 'Cache write',
} as const;
export type PriceField = keyof typeof priceFields;
export const priceFieldNames = Object.keys(priceFields) as PriceField[];

/** Where the owner enters no price for it: as dear as Anthropic's dearest entries, which are kept for an hour. */
export const usualCacheWrite = (kind: SupplierKindName, input: bigint): bigint =>
  kind === 'anthropic' ? input * 2n : input;

const prefix = 'llm:';

/** A supplier is a service under this id: for `allowedServices`, limits at a service, and blocking. */
export const modelServiceId = (supplierId: string): string => `${prefix}${supplierId}`;
/** The supplier of such an id. */
export const supplierOf = (serviceId: string): string => serviceId.slice(prefix.length);
/** Nobody else may have such an id. */
export const isModelService = (serviceId: string): boolean => serviceId.startsWith(prefix);

/** What a thief of this machine gets beside money; empty without any. */
export const keysAtRisk = ({ providerKeys }: { providerKeys: number }): string =>
  providerKeys === 0
    ? ''
    : `${providerKeys === 1 ? 'one key' : `${providerKeys} keys`} of language model providers, which only the provider limits`;
