// The ports to image models and to stored pictures; providers/ implements them.
import type { Resolution, StoredImage } from '../domain/task.ts';

/** An image model of the registry that ships with the product. */
export interface Model {
  id: string;
  displayName: string;
  providerId: string;
  /** The provider's name. */
  provider: string;
  description: string;
  /** Decimal USDC for each resolution that it offers. */
  pricing: Readonly<Partial<Record<Resolution, string>>>;
  /** The prices before any change by the owner. */
  shippedPricing: Readonly<Partial<Record<Resolution, string>>>;
  enabled: boolean;
}

/** A picture as its provider sent it, not yet decoded. */
export interface Drawing {
  bytes: Uint8Array;
}

/** Image models behind one interface. */
export interface ImageProviders {
  models(): readonly Model[];
  /** Its provider has an API key, or the sandbox draws instead. */
  usable(model: Model): boolean;
  /** The number of concurrent requests to its provider. */
  atOnce(model: Model): number;
  /** Whether a second request for one task makes, and costs, no second picture. */
  repeatable(model: Model): boolean;
  /**
   * Asks the provider once. @throws AppError `generation_failed` with a sentence for the agent, which holds nothing of
   * the owner's API key
   */
  draw(
    model: Model,
    request: { taskId: string; prompt: string; resolution: Resolution },
    signal: AbortSignal,
  ): Promise<Drawing>;
}

/** Storage for pictures. */
export interface Pictures {
  /**
   * Stores the picture only after decoding it, so that a stored picture is whole.
   * @throws AppError `generation_failed` when the bytes are no picture
   */
  keep(taskId: string, bytes: Uint8Array): Promise<StoredImage>;
  /** A stored picture, decoded again; null when there is none. */
  find(taskId: string): Promise<StoredImage | null>;
  read(taskId: string, image: StoredImage): Promise<Buffer>;
  /** At most 512 pixels wide and high. */
  small(
    taskId: string,
    image: StoredImage,
  ): Promise<{ bytes: Buffer; mediaType: string; width: number; height: number }>;
}
