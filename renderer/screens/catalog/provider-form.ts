// The form of a provider: what of it is sent. The key goes out and never comes back.
import type { Ask } from '../../../server/contract/owner-api.ts';
import type { Reply } from '../../../server/contract/schemas.ts';

export type Provider = Reply<'setImageProvider'>;
export type ProviderValues = { apiKey: string; baseUrl: string; atOnce: string };
type Change = NonNullable<Ask<'setImageProvider'>['body']>;

export const providerFields = ['apiKey', 'baseUrl', 'atOnce'] as const;

export const valuesOf = ({ baseUrl, atOnce }: Provider): ProviderValues => ({
  apiKey: '',
  baseUrl: baseUrl ?? '',
  atOnce: String(atOnce),
});

/** Only what was changed. What is no number is sent as none, so that the treasury says so. */
export const changesOf = (provider: Provider, values: ProviderValues): Change => {
  const [apiKey, baseUrl, atOnce] = [values.apiKey.trim(), values.baseUrl.trim(), values.atOnce.trim()];
  return {
    ...(apiKey === '' ? {} : { apiKey }),
    ...(baseUrl === (provider.baseUrl ?? '') ? {} : { baseUrl: baseUrl === '' ? null : baseUrl }),
    ...(atOnce === String(provider.atOnce)
      ? {}
      : { atOnce: /^\d+$/.test(atOnce) ? Number(atOnce) : Number.NaN }),
  };
};
