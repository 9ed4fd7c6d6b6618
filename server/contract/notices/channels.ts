// The channels of notices, in one table, in the order in which they are shown. The contract, the engine, the command and
// the dashboard derive their part of a channel from its entry here; how it sends is in server/notices/senders.ts. Free of
// zod, since the page and the command read the table too.

/** A secret and a token lie in the vault. A secret signs what is sent, and is made for the owner; a token may be missing. */
export type FieldValue = 'url' | 'address' | 'topic' | 'secret' | 'token';

/** A name of a field stands for one kind of value in all channels. */
export interface ChannelField {
  value: FieldValue;
  /** Above it in the form. */
  label: string;
  /** In the help of the command. */
  help: string;
  /** Of the place, which the channel needs: "The place of a channel of kind ntfy is a topic." */
  asks?: string;
  placeholder?: string;
  /** In the examples of /v1. */
  example?: string;
  /** It counts where the field is left out. */
  usual?: string;
}

export interface ChannelEntry {
  label: string;
  /** "Send notices to a webhook". */
  to: string;
  /** "Be told what happens by webhook". */
  by: string;
  /** They are stored in this order. */
  fields: Readonly<Record<string, ChannelField>>;
  /** Its URL may lead to an address of this machine or network, if the owner allows that. */
  mayBePrivate?: true;
  /** It goes through the owner's mail server; the form says so where there is none. */
  withoutMailServer?: string;
  /** Without a place of the owner's choice there is one such channel at most. */
  fixed?: { asks: string; line: string; note: string; taken: string };
  /** Behind its kind, in the example of the command. */
  example?: string;
}

export const channels = {
  desktop: {
    label: 'Desktop',
    to: 'the desktop',
    by: 'on the desktop',
    fields: {},
    fixed: {
      asks: 'this desktop: leave it out',
      line: 'Shown on this computer',
      note: 'The desktop app shows notices while it is running.',
      taken: 'The desktop is a channel already.',
    },
  },
  webhook: {
    label: 'Webhook',
    to: 'a webhook',
    by: 'webhook',
    fields: {
      url: {
        value: 'url',
        label: 'URL',
        help: 'the URL of a webhook',
        asks: 'a URL',
        placeholder: 'https://hooks.example.com/treasury',
        example: 'https://hooks.example.com/treasury',
      },
      secret: { value: 'secret', label: 'Signing secret', help: 'the webhook’s secret' },
    },
    mayBePrivate: true,
    example: 'https://hooks.example.com/treasury --kinds approval,frozen,halted',
  },
  email: {
    label: 'E-mail',
    to: 'an e-mail address',
    by: 'e-mail',
    fields: {
      to: {
        value: 'address',
        label: 'E-mail address',
        help: 'an e-mail address',
        asks: 'an e-mail address',
        placeholder: 'you@example.com',
        example: 'owner@example.com',
      },
    },
    withoutMailServer: 'E-mail goes through your own mail server. Set it in Settings, under People.',
    example: 'me@example.com',
  },
  ntfy: {
    label: 'ntfy',
    to: 'an ntfy topic',
    by: 'ntfy',
    fields: {
      server: {
        value: 'url',
        label: 'Server',
        help: 'an ntfy server other than ntfy.sh',
        usual: 'https://ntfy.sh/',
      },
      topic: {
        value: 'topic',
        label: 'Topic',
        help: 'an ntfy topic',
        asks: 'a topic',
        placeholder: 'a-name-that-nobody-guesses',
      },
      token: { value: 'token', label: 'Access token', help: 'the ntfy token' },
    },
    mayBePrivate: true,
    example: 'my-treasury-7f3k --secret-fd 3 3< ntfy-token.txt',
  },
} as const satisfies Record<string, ChannelEntry>;

type Channels = typeof channels;
export type ChannelKind = keyof Channels;
export const channelKindNames = Object.keys(channels) as ChannelKind[];

/** The names of those fields of a kind that are like this one; of all fields, without one. */
type Like<K extends ChannelKind, One = ChannelField, Fields = Channels[K]['fields']> = {
  [F in keyof Fields]: Fields[F] extends One ? F : never;
}[keyof Fields];
type LikeOfAny<One = ChannelField> = { [K in ChannelKind]: Like<K, One> }[ChannelKind];
type Token = { value: 'token' };
type Optional = Token | { usual: string };
type Private<K extends ChannelKind> = Channels[K] extends { mayBePrivate: true } ? 'allowPrivate' : never;
type HasToken<K extends ChannelKind> = [Like<K, Token>] extends [never] ? never : 'hasToken';

/** Where a channel leads. Secrets are in the vault, by the channel's id. */
export type Place = {
  [K in ChannelKind]: { kind: K } & {
    [F in Exclude<Like<K>, Like<K, Token | { value: 'secret' }>>]: string;
  } & { [F in Private<K> | HasToken<K>]: boolean };
}[ChannelKind];

/** The request that adds a channel, beside the fields that all have in common. */
export type Asked = {
  [K in ChannelKind]: { kind: K } & { [F in Exclude<Like<K>, Like<K, Optional>>]: string } & {
    [F in Like<K, Optional>]?: string | undefined;
  } & { [F in Private<K>]?: boolean | undefined };
}[ChannelKind];

/** The request that changes a channel, of any kind. */
export type Changed = {
  [F in LikeOfAny]?: (F extends LikeOfAny<Token> ? string | null : string) | undefined;
} & { allowPrivate?: boolean | undefined };

/** Fields that are options of the command. */
export type FurtherName = LikeOfAny<{ usual: string }>;

export const entryOf = (kind: ChannelKind): ChannelEntry => channels[kind];
export const allFields = (kind: ChannelKind): [name: string, field: ChannelField][] =>
  Object.entries(entryOf(kind).fields);
/** Those of the place; a secret lies in the vault. */
export const storedFields = (kind: ChannelKind): [name: string, field: ChannelField][] =>
  allFields(kind).filter(([, field]) => !isInVault(field));
export const isInVault = ({ value }: ChannelField): boolean => value === 'secret' || value === 'token';

type Named = ChannelField & { name: string };
const fieldThat =
  (fits: (field: ChannelField) => boolean) =>
  (kind: ChannelKind): Named | undefined =>
    allFields(kind).flatMap(([name, field]) => (fits(field) ? [{ ...field, name }] : []))[0];
export const placeField = fieldThat(({ asks }) => asks !== undefined);
export const urlField = fieldThat(({ value }) => value === 'url');
export const vaultField = fieldThat(isInVault);

/** The request of these texts: of them, those that its kind knows. An empty token is none. */
export const askedOf = (
  kind: ChannelKind,
  texts: Readonly<Record<string, string | undefined>>,
  allowPrivate: boolean,
): Asked => {
  const given = allFields(kind).flatMap(([name, { value }]) => {
    const text = texts[name];
    return text === undefined || (value === 'token' && text === '') ? [] : [[name, text]];
  });
  const { mayBePrivate = false } = entryOf(kind);
  return { kind, ...Object.fromEntries(given), ...(mayBePrivate && { allowPrivate }) } as Asked;
};

/** Where a channel leads, in one line; '' where its owner has no choice. */
export const placeLine = (place: Place): string => {
  const texts = place as unknown as Readonly<Record<string, string>>;
  const [where, url] = [placeField(place.kind), urlField(place.kind)];
  if (where === undefined) return '';
  const at = url === undefined || url.name === where.name ? '' : ` at ${new URL(texts[url.name] ?? '').host}`;
  return `${texts[where.name]}${at}`;
};

/** Such as "a webhook, an e-mail address or the desktop": those that lead to a place of the owner's choice come first. */
export const anyChannel = (words: 'to' | 'by'): string => {
  const entries = channelKindNames.map(entryOf);
  const led = entries.filter(({ fixed }) => fixed === undefined);
  return either([...led, ...entries.filter((one) => !led.includes(one))].map((one) => one[words]));
};

export const either = (words: readonly string[], or = ' or '): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')}${or}${words.at(-1)}`;

/** 32 random bytes, as Standard Webhooks writes them. */
export const newSigningSecret = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
