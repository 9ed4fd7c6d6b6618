// A channel and a notice, and the form of a new channel.
import type { Reply } from '../../../../server/contract/schemas.ts';
import {
  allFields,
  askedOf,
  channelKindNames,
  channels,
  isInVault,
  newSigningSecret,
  type Asked,
  type ChannelKind,
} from '../../../../server/contract/notices/channels.ts';

export type Channel = Reply<'addNoticeChannel'>;
export type Notice = Reply<'retryNotice'>;

export const choices = channelKindNames.map((value) => ({ value, label: channels[value].label }));

export interface Values {
  kind: ChannelKind;
  /** By the names of the fields. */
  texts: Record<string, string>;
  allowPrivate: boolean;
}

export const valuesFor = (kind: ChannelKind): Values => ({
  kind,
  texts: Object.fromEntries(
    allFields(kind).map(([name, { value }]) => [name, value === 'secret' ? newSigningSecret() : '']),
  ),
  allowPrivate: false,
});

export const bodyOf = ({ kind, texts, allowPrivate }: Values): Asked => {
  const written = allFields(kind).map(([name, field]) => {
    const text = texts[name] ?? '';
    return [name, isInVault(field) ? text : text.trim() || undefined];
  });
  return askedOf(kind, Object.fromEntries(written) as Record<string, string | undefined>, allowPrivate);
};
