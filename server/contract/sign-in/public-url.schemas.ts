// The public address: where a tunnel of the owner's leads to this treasury.
import { z } from 'zod';
import { publicUrlOf, publicUrlRule } from '../../lib/net/public-url.ts';
import { get, nothing, post } from '../exchange.ts';
import { example, textLike } from '../fields.ts';

const url = z
  .string({ error: publicUrlRule })
  .max(300, 'must be at most 300 characters')
  .transform((text) => publicUrlOf(text) ?? '')
  .refine((origin) => origin !== '', publicUrlRule);
const reply = z.object({
  url: textLike('https://treasury.example.ts.net')
    .nullable()
    .describe('its origin; null: other machines do not reach this treasury'),
  ownerSessions: z.boolean().meta(example(false)).describe('whether the owner may sign in there'),
  givenAtStart: z.boolean().meta(example(false)).describe('with --public-url, which wins over this setting'),
  mayChange: z
    .boolean()
    .meta(example(true))
    .describe('false for a caller that came through the public address'),
});

export const publicUrlExchanges = {
  getPublicAddress: get(nothing, nothing, reply),
  setPublicAddress: post(
    nothing,
    z
      .strictObject({
        url: url.nullable().optional(),
        ownerSessions: z
          .boolean({ error: 'must be true or false' })
          .optional()
          .describe('a new address begins without it'),
      })
      .refine((given) => Object.keys(given).length > 0, 'url or ownerSessions: at least one is required'),
    reply,
  ),
  checkPublicAddress: post(
    nothing,
    nothing,
    z.object({
      url: textLike('https://treasury.example.ts.net').nullable(),
      problem: z
        .string()
        .nullable()
        .describe('and what to do about it; null: it leads here, by the public door alone, or there is none'),
    }),
  ),
};
