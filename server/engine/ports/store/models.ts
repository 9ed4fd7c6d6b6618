// Suppliers of language models, and the owner's settings for their models, in the store.
import type { ModelSettings, ModelSupplier } from '../../domain/language-model.ts';

export interface ModelSupplierStore {
  /** Those that were not removed, the oldest first. */
  list(): readonly ModelSupplier[];
  /** Every id that was ever given. */
  ids(): readonly string[];
  /** Adds it, or changes it. */
  set(supplier: ModelSupplier): void;
}

export interface LanguageModelStore {
  /** Those of removed suppliers, too. */
  list(): readonly ModelSettings[];
  /** A default takes the place of another supplier's for the same id. */
  set(settings: ModelSettings): void;
}
