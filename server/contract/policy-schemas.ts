// A policy in requests and replies, made from the table of its fields.
import { z } from 'zod';
import { decimal, limit, serviceId } from './fields.ts';
import {
  byKind,
  eachField,
  type FieldEntry,
  type HeldPolicy,
  type PolicyField,
  type ToldPolicy,
} from './policy-fields.ts';

const wholeNumber = (unit: string, least: number, most: number, mostSaid: string) => {
  const rule = `must be a whole number of ${unit}`;
  return z
    .number({ error: rule })
    .int(rule)
    .min(least, least === 0 ? 'must not be negative' : `must be at least ${least}`)
    .max(most, `must be at most ${mostSaid}`);
};

const requested = (field: FieldEntry): z.ZodType =>
  byKind<z.ZodType>(field, {
    amount: () => limit,
    seconds: ({ least, most, mostSaid }) => wholeNumber('seconds', least, most, `${mostSaid} (${most})`),
    count: ({ unit, least, most }) => wholeNumber(unit, least, most, String(most)),
    services: ({ most }) =>
      z
        .array(serviceId, { error: 'must be a list of service ids' })
        .max(most, `must be at most ${most} service ids`),
    choice({ options }) {
      const names = Object.keys(options);
      return z.enum(names, { error: `must be ${names.map((one) => `"${one}"`).join(' or ')}` });
    },
  });

const replied = (field: FieldEntry): z.ZodType =>
  byKind<z.ZodType>(field, {
    amount: () => decimal,
    seconds: () => z.number(),
    count: () => z.number(),
    services: () => z.array(z.string()),
    choice: ({ options }) => z.enum(Object.keys(options)),
  });

/** The shape of an object with these schemas; the type states what the kinds of the fields give. */
const shapeOf = <S>(schemaOf: (field: FieldEntry) => z.ZodType): S =>
  eachField((field) => (field.mayBeNone === true ? schemaOf(field).nullable() : schemaOf(field))) as S;

/** The policy fields to change; the reason for the change is not one. */
export const policyChange = z
  .strictObject(shapeOf<{ [F in PolicyField]: z.ZodType<HeldPolicy[F], ToldPolicy[F]> }>(requested))
  .partial();
export const policyReply = z.object(
  shapeOf<{ [F in PolicyField]: z.ZodType<ToldPolicy[F], ToldPolicy[F]> }>(replied),
);
