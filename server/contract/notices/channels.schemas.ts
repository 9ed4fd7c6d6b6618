// The requests that add and change a channel of notices, and the place that it leads to, by the table of the channels.
import { z } from 'zod';
import { displayName, textLike, url } from '../fields.ts';
import {
  allFields,
  channelKindNames,
  either,
  entryOf,
  storedFields,
  urlField,
  vaultField,
  type Asked,
  type Changed,
  type ChannelField,
  type ChannelKind,
  type FieldValue,
  type Place,
} from './channels.ts';
import { noticeKindNames } from './notices.ts';

/** By the value of a field. */
const values: Record<FieldValue, z.ZodType<string, string>> = {
  url,
  address: z
    .string({ error: 'must be an e-mail address' })
    .trim()
    .max(254, 'must be at most 254 characters')
    .pipe(z.email('must be an e-mail address')),
  topic: z
    .string({ error: 'must be text' })
    .regex(/^[-_A-Za-z0-9]{1,64}$/, 'must be 1 to 64 letters, digits, hyphens and underscores'),
  secret: z
    .string({ error: 'must be text' })
    .regex(
      /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
      'must be "whsec_" followed by 24 to 64 bytes in base64',
    )
    .describe('signs what is sent (Standard Webhooks)'),
  token: z
    .string({ error: 'must be text' })
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be at most 255 printable ASCII characters without spaces'),
};
const allowPrivate = z
  .boolean({ error: 'must be true or false' })
  .describe('it may lead to an address of this machine or network, also without https')
  .optional();

const common = z.strictObject({
  name: displayName.optional().describe('what you call it'),
  kinds: z
    .array(z.enum(noticeKindNames, { error: `must be one of ${noticeKindNames.join(', ')}` }), {
      error: 'must be a list of kinds',
    })
    .transform((named) => noticeKindNames.filter((kind) => named.includes(kind)))
    .optional()
    .describe('without it, all kinds'),
  hasPhoneLinks: z
    .boolean({ error: 'must be true or false' })
    .optional()
    .describe(
      'notices of approvals carry the links by which a registered phone answers them; they name whole addresses. Without it, none do',
    ),
});

/** The types of what is composed of the table are the table's. */
type Typed<T> = z.ZodType<T & z.output<typeof common>, T & z.input<typeof common>>;
type Shape = Record<string, z.ZodType>;

const shapeOf = (fields: [string, ChannelField][], typeOf: (field: ChannelField) => z.ZodType): Shape =>
  Object.fromEntries(fields.map(([name, field]) => [name, typeOf(field)]));
const ifPrivate = (kind: ChannelKind, type: z.ZodType): Shape =>
  entryOf(kind).mayBePrivate === true ? { allowPrivate: type } : {};

const oneOf = (objectOf: (kind: ChannelKind) => z.ZodObject): z.ZodType =>
  z.discriminatedUnion('kind', channelKindNames.map(objectOf) as [z.ZodObject, ...z.ZodObject[]], {
    error: `must be ${either(channelKindNames.map((kind) => `"${kind}"`))}`,
  });

export const channelPlace = oneOf((kind) =>
  z.object({
    kind: z.literal(kind),
    ...shapeOf(storedFields(kind), ({ example }) => (example === undefined ? z.string() : textLike(example))),
    ...ifPrivate(kind, z.boolean()),
    ...(vaultField(kind)?.value === 'token' && { hasToken: z.boolean() }),
  }),
) as z.ZodType<Place, Place>;

export const newChannel = oneOf((kind) =>
  common.extend({
    kind: z.literal(kind),
    ...shapeOf(allFields(kind), ({ value, usual }) => {
      const type = values[value];
      if (usual !== undefined) return type.optional().describe(`without it, ${usual}`);
      return value === 'token' ? type.optional() : type;
    }),
    ...ifPrivate(kind, allowPrivate),
  }),
) as Typed<Asked>;

export const channelChanges = channelKindNames.reduce(
  (all: z.ZodObject, kind) =>
    all.extend({
      ...shapeOf(allFields(kind), ({ value }) =>
        value === 'token'
          ? values.token
              .nullable()
              .optional()
              .describe(`null: none. Another ${urlField(kind)?.name ?? 'place'} forgets it`)
          : values[value].optional(),
      ),
      ...ifPrivate(kind, allowPrivate),
    }),
  common,
) as unknown as Typed<Changed>;
