// A declared route, checked once, with its schemas as JSON Schema.
import { z } from 'zod';
import type { Schema } from './route.ts';

/** A schema as JSON, with `type` where it has one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const isZod = (value: object): value is z.core.$ZodType => '_zod' in value;

const schemaOf = (io: 'input' | 'output') =>
  z
    .custom<Schema>(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      'must be a JSON Schema or a schema of zod',
    )
    .transform((given, context): JsonSchema => {
      if (!isZod(given)) return given as JsonSchema;
      try {
        const { $schema: _, ...schema } = z.toJSONSchema(given, { io });
        return schema;
      } catch (error) {
        context.addIssue({ code: 'custom', message: `has no JSON Schema: ${(error as Error).message}` });
        return z.NEVER;
      }
    });

const segment = /^(?::[A-Za-z_]\w*|[\w.~!$&'()*+,;=@%-]*)$/;
const isPattern = (path: string): boolean =>
  path.startsWith('/') &&
  path
    .slice(1)
    .split('/')
    .every((one) => segment.test(one));

/** A declared route, its schemas as JSON Schema. */
export const routeSchema = z.strictObject({
  method: z.string().regex(/^[A-Z]+$/, 'must be a method in capitals, such as "GET"'),
  path: z.string().refine(isPattern, 'must be a path such as "/summaries/:id", without a query'),
  description: z.string().max(500, 'must be at most 500 characters').optional(),
  input: schemaOf('input').optional(),
  output: schemaOf('output').optional(),
});

export type ReadRoute = z.output<typeof routeSchema>;
