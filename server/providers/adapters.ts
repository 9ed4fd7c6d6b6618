// The providers: where each is found, and how its part of the SDK is opened. Nothing here loads a package before a
// picture is asked for.
import type { ImageModel } from 'ai';

export type ProviderId = 'openai' | 'google' | 'fal' | 'replicate' | 'black-forest-labs' | 'xai';

/** Goes to the SDK beside the prompt. `options` are the provider's own. */
export interface Asking {
  size?: `${number}x${number}`;
  aspectRatio?: `${number}:${number}`;
  options?: Readonly<Record<string, string | number>>;
}

interface Access {
  apiKey: string;
  baseURL: string;
  fetch: typeof globalThis.fetch;
}

type ProviderOptions = Record<string, Record<string, string | number | Record<string, string | number>>>;

interface Adapter {
  name: string;
  /** Where its API keys are made. */
  keysUrl: string;
  /**
   * Its default address, always passed to the SDK: otherwise the SDK would read another one from the environment
   * (OPENAI_BASE_URL) and send the owner's key there.
   */
  baseUrl: string;
  /** Further hosts of its API, which may see the key. */
  siblings?: RegExp;
  /** Matches its JSON when it refuses a prompt in a way that the SDK does not know. */
  refusal?: RegExp;
  open(access: Access): Promise<{ image(model: string): ImageModel }>;
  /** The options of a picture, in the SDK's form for this provider. */
  optionsOf(options: NonNullable<Asking['options']>): ProviderOptions;
}

/** The longest time that a provider is polled; the caller's signal ends it sooner. */
const pollMs = 10 * 60_000;
const pollEveryMs = 1_000;

export const adapters: Readonly<Record<ProviderId, Adapter>> = {
  openai: {
    name: 'OpenAI',
    keysUrl: 'https://platform.openai.com/api-keys',
    baseUrl: 'https://api.openai.com/v1',
    open: async (access) => (await import('@ai-sdk/openai')).createOpenAI(access),
    optionsOf: (openai) => ({ openai }),
  },
  google: {
    name: 'Google',
    keysUrl: 'https://aistudio.google.com/apikey',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    open: async (access) => (await import('@ai-sdk/google')).createGoogle(access),
    optionsOf: (imageConfig) => ({ google: { imageConfig } }),
  },
  fal: {
    name: 'fal',
    keysUrl: 'https://fal.ai/dashboard/keys',
    baseUrl: 'https://fal.run',
    open: async (access) => (await import('@ai-sdk/fal')).createFal(access),
    optionsOf: (options) => ({ fal: { outputFormat: 'png', ...options } }),
  },
  replicate: {
    name: 'Replicate',
    keysUrl: 'https://replicate.com/account/api-tokens',
    baseUrl: 'https://api.replicate.com/v1',
    open: async ({ apiKey, ...access }) =>
      (await import('@ai-sdk/replicate')).createReplicate({ apiToken: apiKey, ...access }),
    optionsOf: (options) => ({
      replicate: { pollIntervalMillis: pollEveryMs, maxPollAttempts: pollMs / pollEveryMs, ...options },
    }),
  },
  'black-forest-labs': {
    name: 'Black Forest Labs',
    keysUrl: 'https://dashboard.bfl.ai/api/keys',
    baseUrl: 'https://api.bfl.ai/v1',
    // A picture asked of api.bfl.ai is polled at a region's own host, such as api.us1.bfl.ai. The SDK goes on polling
    // after "Request Moderated", and cannot read "Content Moderated".
    refusal: /"(status|state)"\s*:\s*"(Request|Content) Moderated"/,
    siblings: /^api(\.[a-z0-9-]+)?\.bfl\.ai$/,
    open: async (access) => (await import('@ai-sdk/black-forest-labs')).createBlackForestLabs(access),
    optionsOf: (options) => ({
      blackForestLabs: {
        outputFormat: 'png',
        pollIntervalMillis: pollEveryMs,
        pollTimeoutMillis: pollMs,
        ...options,
      },
    }),
  },
  xai: {
    name: 'xAI',
    keysUrl: 'https://console.x.ai',
    baseUrl: 'https://api.x.ai/v1',
    open: async (access) => (await import('@ai-sdk/xai')).createXai(access),
    optionsOf: (xai) => ({ xai }),
  },
};
