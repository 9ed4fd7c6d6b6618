// Language models for the gateway: which supplier serves a model, at which prices, and how it is asked.
import type { ModelWire, SupplierKindName } from '../../contract/models/suppliers.ts';
import type { ModelSupplier } from '../domain/language-model.ts';

/** In micro-USDC for a million tokens. */
interface TokenPrices {
  input: bigint;
  cachedInput: bigint;
  cacheWrite: bigint;
  /** Of entries that are kept for an hour; without it as `cacheWrite`. */
  hourCacheWrite?: bigint;
  output: bigint;
}

export interface ModelPrices extends TokenPrices {
  /** Prices of the whole request above a number of input tokens, the lowest number first. */
  tiers?: readonly (TokenPrices & { above: number })[];
}

export interface LanguageModel {
  /** The supplier's name for it. */
  id: string;
  /** Null: neither the owner nor the price list has one for exactly this id. */
  prices: ModelPrices | null;
  /** `list`: the price list that ships with the treasury. */
  priceSource: 'owner' | 'list' | null;
  /** When the owner entered the price, or the date of the list. */
  pricedAt: number | null;
  /** Tokens of input and output together; null: not known. */
  window: number | null;
  /** Most tokens of an answer, by the owner. */
  maxOutput: number | null;
  enabled: boolean;
  isDefault: boolean;
}

/** The price list that ships with the treasury. It knows a model by its exact id at this kind of supplier alone. */
export interface PriceList {
  find(
    kind: SupplierKindName,
    modelId: string,
    now: number,
  ): (Pick<LanguageModel, 'window'> & { prices: ModelPrices }) | null;
  /** Without the further ids of the same model. */
  ids(kind: SupplierKindName): readonly string[];
}

export interface LanguageModels {
  /** Loads the price list, once; `find`, `model` and `models` need it. */
  ready(): Promise<void>;
  /** Those that were not removed. */
  suppliers(): readonly ModelSupplier[];
  /**
   * The model that a request names, as `ID` or `SUPPLIER/ID`, among the enabled suppliers that speak this API.
   * @throws AppError `model_ambiguous`, `model_unpriced`, `not_found`
   */
  find(
    wire: ModelWire,
    name: string,
  ): { supplier: ModelSupplier; model: LanguageModel & { prices: ModelPrices } };
  /** A model by its exact id; without a price where there is none. */
  model(supplier: ModelSupplier, modelId: string): LanguageModel;
  /** The models of the price list and those with settings of the owner's. */
  models(supplier: ModelSupplier): readonly LanguageModel[];
  /** The supplier's API key, if it has one that was entered for its address. @throws AppError `locked` */
  keyOf(supplierId: string): string | undefined;
}

export interface SupplierRequest {
  supplier: Pick<ModelSupplier, 'name' | 'kind' | 'baseUrl' | 'allowPrivate'>;
  /** Undefined: it needs none. */
  key: string | undefined;
  /** Below the supplier's address: `/chat/completions`. */
  path: string;
  /** Undefined: it is a GET. */
  body?: string;
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** Runs in the turn of the event loop in which the request leaves; when it throws, nothing has left. */
  beforeSending?: () => void;
}

export interface SupplierAnswer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** As it arrives. It throws as the request does. */
  body: AsyncIterable<Uint8Array>;
}

/**
 * Sends a request to a supplier, once.
 * @throws AppError `not_available` whose `details.sent` says whether anything of the request may have left;
 *   whatever `beforeSending` throws; the signal's reason
 */
export type AskSupplier = (request: SupplierRequest) => Promise<SupplierAnswer>;
