// A channel in words, and as its form has it.
import type { Input, Reply } from '../../../../server/contract/schemas.ts';
import { channelKinds, type ChannelKind } from '../../../../server/contract/notices/notices.ts';

export type Channel = Reply<'addNoticeChannel'>;
export type Notice = Reply<'retryNotice'>;

export const placeText = ({ place }: Channel): string => {
  if (place.kind === 'webhook') return place.url;
  if (place.kind === 'email') return place.to;
  return place.kind === 'ntfy' ? `${place.topic} at ${new URL(place.server).host}` : 'Shown on this computer';
};

export const choices = Object.entries(channelKinds).map(([value, label]) => ({ value, label }));

export interface Values {
  kind: ChannelKind;
  /** The URL, the address or the topic. */
  place: string;
  server: string;
  /** The webhook's signing secret, or the ntfy token. */
  secret: string;
  allowPrivate: boolean;
}

export const fieldOf = {
  webhook: 'url',
  email: 'to',
  ntfy: 'topic',
  desktop: 'kind',
} as const satisfies Record<ChannelKind, string>;

export const bodyOf = ({
  kind,
  place,
  server,
  secret,
  allowPrivate,
}: Values): NonNullable<Input<'addNoticeChannel'>['body']> => {
  const where = place.trim();
  switch (kind) {
    case 'desktop':
      return { kind };
    case 'webhook':
      return { kind, url: where, secret, allowPrivate };
    case 'email':
      return { kind, to: where };
    case 'ntfy':
      return {
        kind,
        topic: where,
        allowPrivate,
        ...(server.trim() === '' ? {} : { server: server.trim() }),
        ...(secret === '' ? {} : { token: secret }),
      };
  }
};

/** 32 random bytes, as Standard Webhooks writes them. */
export const newSecret = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
