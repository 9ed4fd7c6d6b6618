// Examples of requests and replies, composed of those of their fields. A test holds each against its schema.
import { z } from 'zod';
import type { RouteName } from '../contract/routes.ts';
import { exchanges } from '../contract/schemas.ts';
import { jsonOf, type Json } from './openapi-schemas.ts';
import { exampleValues, type Example } from './openapi-example-values.ts';

/** Examples of a route’s bodies; of a body none where a field has no example. */
export const exampleOf = (name: RouteName): Example => {
  const { body, reply, accepted }: { body: z.ZodType; reply: z.ZodType; accepted?: z.ZodType } =
    exchanges[name];
  const given: Example = exampleValues[name] ?? {};
  return {
    request: composed(jsonOf(body, 'input', z.globalRegistry), given.request),
    reply: composed(jsonOf(reply, 'output', z.globalRegistry), given.reply),
    accepted: accepted && composed(jsonOf(accepted, 'output', z.globalRegistry), given.accepted),
  };
};

/** A body of nulls alone would show nothing. */
const composed = (schema: Json, given: unknown): unknown => {
  const example = compose(schema, given);
  const values = Object.values(example ?? {});
  return given === undefined && values.every((value) => value === null) ? undefined : example;
};

/** The example of a schema, with the values given for it. Undefined where a field has none, or does not fit what is given. */
const compose = (schema: Json, given: unknown): unknown => {
  const { anyOf, oneOf = anyOf, examples, items } = schema as Record<string, Json[] | undefined>;
  if ('const' in schema)
    return given === undefined || given === schema['const'] ? schema['const'] : undefined;
  if (given === undefined && examples !== undefined) return examples[0];
  if (oneOf !== undefined) return ofOptions(oneOf, given);
  if ('properties' in schema) return ofObject(schema as unknown as ObjectSchema, given ?? {});
  if (Array.isArray(given)) return given.map((one) => compose((items ?? {}) as Json, one));
  return given ?? usual(schema);
};

interface ObjectSchema {
  properties: Record<string, Json>;
  required?: string[];
}

/** Optional fields are shown where they are given. */
const ofObject = ({ properties, required = [] }: ObjectSchema, given: object): object | undefined => {
  const said = new Map<string, unknown>(Object.entries(given));
  const shown = Object.entries(properties).filter(([name]) => required.includes(name) || said.has(name));
  const fields = shown.map(([name, schema]) => [name, compose(schema, said.get(name))] as const);
  const isWhole = fields.every(([, value]) => value !== undefined);
  return isWhole && Object.keys(given).every((name) => name in properties)
    ? Object.fromEntries(fields)
    : undefined;
};

/** The first option that has an example. Of what may be null, names are shown; times, amounts and objects are null. */
const ofOptions = (options: readonly Json[], given: unknown): unknown => {
  const found = options.map((option) => compose(option, given)).find((value) => value !== undefined);
  const isName = typeof found === 'string' && !/^[\d.:TZ-]+$/.test(found);
  const mayBeNull = options.some(({ type }) => type === 'null');
  return given === null || (given === undefined && mayBeNull && !isName) ? null : found;
};

const usual = ({
  type,
  enum: [first] = [],
  items,
}: {
  type?: string;
  enum?: unknown[];
  items?: Json;
}): unknown => {
  if (type?.includes('null') === true) return null;
  if (first !== undefined) return first;
  if (type === 'object') return {};
  const item = items && compose(items, undefined);
  if (item === undefined) return items?.['type'] === 'string' ? [] : undefined;
  return [item];
};
