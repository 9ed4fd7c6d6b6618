// Settings of image providers. The API keys lie in the vault, the rest in the database.
import { z } from 'zod';
import type { Body } from '../contract/schemas.ts';
import type { EngineContext } from '../engine/calls/call.ts';
import { fieldError } from '../errors.ts';
import type { ProviderSettings } from '../providers/image-providers.ts';
import type { Vault } from '../vault/vault.ts';

const kept = z.record(
  z.string(),
  z.object({ hasKey: z.boolean(), baseUrl: z.string().nullable(), atOnce: z.number() }),
);
const usual = { hasKey: false, baseUrl: null, atOnce: 2 };

const secretOf = (providerId: string): string => `image-provider-${providerId}`;

export interface ImageSettings {
  settingsOf(providerId: string): ProviderSettings;
  /** The provider's API key. @throws AppError `locked` */
  keyOf(providerId: string): string | undefined;
  view(providerId: string): { hasKey: boolean; baseUrl: string | null; atOnce: number };
  change(providerId: string, change: Body<'setImageProvider'>): void;
}

/** The database records whether there is an API key, so that this is known while the vault is locked. */
export const imageSettings = (
  { meta, atomically }: Pick<EngineContext['store'], 'meta' | 'atomically'>,
  vault: Pick<Vault, 'getSecret' | 'setSecret'>,
): ImageSettings => {
  const all = (): z.output<typeof kept> => kept.parse(JSON.parse(meta.get('image-providers') ?? '{}'));
  const view = (providerId: string) => all()[providerId] ?? usual;
  const save = (providerId: string, settings: ReturnType<typeof view>): void =>
    atomically(() => meta.set('image-providers', JSON.stringify({ ...all(), [providerId]: settings })));

  return {
    view,
    settingsOf: view,
    keyOf: (providerId) =>
      view(providerId).hasKey ? vault.getSecret(secretOf(providerId))?.toString('utf8') : undefined,
    change(providerId, { apiKey, baseUrl, atOnce }) {
      const before = view(providerId);
      const next = {
        hasKey: apiKey === undefined ? before.hasKey : apiKey !== null,
        baseUrl: baseUrl === undefined ? before.baseUrl : baseUrl,
        atOnce: atOnce ?? before.atOnce,
      };
      // An API key is sent only to the address that the owner entered it for.
      const moves = next.baseUrl !== before.baseUrl && apiKey === undefined && before.hasKey;
      if (moves) throw fieldError('apiKey', 'enter it again with another baseUrl');
      if (apiKey !== undefined) {
        // Cleared first: an interruption at any point leaves no API key paired with another's address.
        save(providerId, { ...before, hasKey: false });
        vault.setSecret(secretOf(providerId), Buffer.from(apiKey ?? ''));
      }
      save(providerId, next);
    },
  };
};
