// Asks a provider for one picture, once, through the SDK.
import type { LookupFunction } from 'node:net';
import type { Log } from '../log.ts';
import { adapters, type Asking, type ProviderId } from './adapters.ts';
import { failureOf, notAPicture, refused } from './failure.ts';
import { isPicture } from './picture-type.ts';
import { createProviderFetch } from './provider-fetch.ts';

interface Question {
  providerId: ProviderId;
  /** The provider's name for it. */
  model: string;
  asking: Asking;
  prompt: string;
  apiKey: string;
  baseUrl: string;
  signal: AbortSignal;
  log: Log;
  lookup?: LookupFunction;
}

/** @throws AppError `generation_failed`, which holds nothing of the key */
export const askProvider = async (question: Question): Promise<Uint8Array> => {
  const { providerId, model, asking, prompt, apiKey, baseUrl, signal, log, lookup } = question;
  const { open, optionsOf, name, baseUrl: ownUrl, siblings, refusal } = adapters[providerId];
  const { size, aspectRatio, options = {} } = asking;
  try {
    const { generateImage } = await import('ai');
    // Its warnings would go to standard error as plain text, among the log's lines of JSON.
    globalThis.AI_SDK_LOG_WARNINGS = false;
    const fetch = createProviderFetch({
      name,
      baseUrl,
      // Behind a base URL that is not its own, its siblings are strangers.
      siblings: new URL(baseUrl).host === new URL(ownUrl).host ? siblings : undefined,
      refusal,
      signal,
      ...(lookup === undefined ? {} : { lookup }),
    });
    const provider = await open({ apiKey, baseURL: baseUrl, fetch });
    const { image, providerMetadata } = await generateImage({
      model: provider.image(model),
      prompt,
      n: 1,
      ...(size === undefined ? {} : { size }),
      ...(aspectRatio === undefined ? {} : { aspectRatio }),
      providerOptions: optionsOf(options),
      // A second request could cost a second picture.
      maxRetries: 0,
      abortSignal: signal,
    });
    // fal sends a black picture in place of one that its checker refused.
    const [about] = providerMetadata['fal']?.images ?? [];
    if ((about as { nsfw?: unknown } | undefined)?.nsfw === true) throw refused(name);
    if (!isPicture(image.uint8Array)) throw notAPicture(name);
    return image.uint8Array;
  } catch (error) {
    const { failure, facts } = failureOf(error, { name, prompt, apiKey, signal });
    log.warn({ provider: providerId, ...facts }, 'a provider made no picture');
    throw failure;
  }
};
