// The changes in a provider's form. The API key is sent and never comes back.
import type { Ask } from '../../../server/contract/owner-api.ts';
import type { Reply } from '../../../server/contract/schemas.ts';

export type Provider = Reply<'setImageProvider'>;
type ProviderValues = { apiKey: string; baseUrl: string; atOnce: string };
type Change = NonNullable<Ask<'setImageProvider'>['body']>;

export const providerFields = ['apiKey', 'baseUrl', 'atOnce'] as const;

export const valuesOf = ({ baseUrl, atOnce }: Provider): ProviderValues => ({
  apiKey: '',
  baseUrl: baseUrl ?? '',
  atOnce: String(atOnce),
});

/** Only changed fields. A value that is not a number is sent too, as NaN, so that the treasury reports the error. */
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
