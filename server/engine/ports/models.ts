// Language models for the gateway: which supplier serves a model, at which prices, and how it is asked.
import type { ModelWire, SupplierKindName } from '../../contract/models/suppliers.ts';
import type { AppError } from '../../errors.ts';
import type { ModelSupplier } from '../domain/language-model.ts';
import type { Caller } from './calls.ts';

/** In micro-USDC for a million tokens. */
export interface TokenPrices {
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
  /** `list`: the price list that ships with the treasury. `seller`: asked for with each request. */
  priceSource: 'owner' | 'list' | 'seller' | null;
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
  /** Those with an account of the owner's that are enabled and speak this API. */
  ofApi(wire: ModelWire): readonly ModelSupplier[];
  /**
   * The model that a request names, as `ID` or `SUPPLIER/ID`, among the enabled suppliers that speak this API.
   * @throws AppError `model_ambiguous`, `model_unpriced`, `not_found`
   */
  find(
    wire: ModelWire,
    name: string,
  ): { supplier: ModelSupplier; model: LanguageModel & { prices: ModelPrices } };
  /**
   * The seller that a request names, as `SELLER/ID`, or by an id that is the owner's default there; null for none.
   * @throws AppError `not_found` for a model that the owner turned off
   */
  seller(name: string): { supplier: ModelSupplier; modelId: string } | null;
  /** A model by its exact id; without a price where there is none. */
  model(supplier: ModelSupplier, modelId: string): LanguageModel;
  /** The models of the price list and those with settings of the owner's. */
  models(supplier: ModelSupplier): readonly LanguageModel[];
  /** The prices of the price list for a seller's model, by its exact id or as MAKER/ID; null: it has none. */
  listed(modelId: string): ModelPrices | null;
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

/** An API of OpenAI or Anthropic that a request is written for. */
export type RequestWire = 'openai-chat' | 'openai-responses' | 'openai-embeddings' | 'anthropic-messages';

/** Reads an answer while it arrives. */
export interface ModelReader {
  /** While a streamed answer has not begun: what keeps its client from giving up. */
  keepAlive(): void;
  begin(head: {
    status: number;
    headers: SupplierAnswer['headers'];
    /** Null for what costs nothing. */
    requestId: string | null;
    loweredTo: number | null;
  }): void;
  /** Resolves when there is room for more; to false when nobody reads. */
  write(piece: Uint8Array): Promise<boolean>;
  /** Resolves to true once the whole answer has left this process; to false when its reader has gone before. */
  end(): Promise<boolean>;
}

/** An agent's request to a model. */
export interface ModelAsked {
  caller: Extract<Caller, { role: 'agent' }>;
  wire: RequestWire;
  body: Uint8Array;
  /** Those that go on to the supplier, by names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** A second request with it is not sent. */
  idempotencyKey: string | null;
}

export interface ModelCall extends ModelAsked {
  reader: ModelReader;
  /** Aborted when the caller has its answer or has disconnected. */
  gone: AbortSignal;
}

/** The gateway to language models, for the agents' routes. */
export interface ModelGateway {
  /**
   * Answers one request to a model through its reader.
   * @throws AppError as the request was refused, as its supplier failed, or, after `reader.begin`, as the answer broke off
   */
  call(asked: ModelCall): Promise<void>;
  /** Asks how many tokens a request has, which costs nothing. @throws AppError as `call`; `too_many_requests` */
  count(asked: ModelCall): Promise<void>;
  /** The models that the caller may use, in the shape of the API. */
  models(asked: Pick<ModelAsked, 'caller' | 'wire'>): Promise<object>;
  /** A refusal before the answer has begun, in the shape of the API. */
  refusal(
    wire: RequestWire,
    error: AppError,
  ): { status: number; headers: Readonly<Record<string, string>>; body: string };
  /** The event that ends a stream which has begun. */
  refusalEvent(wire: RequestWire, error: AppError): string;
}
