// Suppliers of language models, and the owner's settings for their models.
import type { SupplierKindName } from '../../contract/models/suppliers.ts';
import type { Usdc } from '../../money.ts';

export interface ModelSupplier {
  id: string;
  kind: SupplierKindName;
  name: string;
  /** Without a slash at its end. */
  baseUrl: string;
  /** Known while the vault is locked, too. */
  hasKey: boolean;
  /** It may be on this machine or network. */
  allowPrivate: boolean;
  enabled: boolean;
  /** Multiplies the price list's prices; 1,000,000 is 1. */
  factor: bigint;
  /** Further fields of a request that the owner lets through. */
  extraFields: readonly string[];
  createdAt: number;
  /** Its row stays, so that its id is never given again. */
  removedAt: number | null;
}

/** The owner's settings for one model of one supplier; null: there is none. Prices are for a million tokens. */
export interface ModelSettings {
  supplierId: string;
  modelId: string;
  input: Usdc | null;
  output: Usdc | null;
  cachedInput: Usdc | null;
  cacheWrite: Usdc | null;
  pricedAt: number | null;
  /** Most tokens of an answer. */
  maxOutput: number | null;
  enabled: boolean;
  /** The model's id alone means this supplier. */
  isDefault: boolean;
}

export const noPrices = {
  input: null,
  output: null,
  cachedInput: null,
  cacheWrite: null,
  pricedAt: null,
} as const;

/** The owner's settings for a model, or those that hold until there are any. */
export const settingsIn = (
  all: readonly ModelSettings[],
  supplierId: string,
  modelId: string,
): ModelSettings =>
  all.find((one) => one.supplierId === supplierId && one.modelId === modelId) ?? {
    ...noPrices,
    supplierId,
    modelId,
    maxOutput: null,
    enabled: true,
    isDefault: false,
  };
