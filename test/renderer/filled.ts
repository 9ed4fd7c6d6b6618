// A value that fits a schema of the contract: what a test gives of it, and the least of the rest.
import { z } from 'zod';
import { timestamp } from '../../server/contract/fields.ts';

export type Partly<T> = T extends readonly (infer One)[]
  ? readonly Partly<One>[]
  : T extends object
    ? { [K in keyof T]?: Partly<T[K]> | undefined }
    : T;

const moment = '2026-01-02T03:04:05.000Z';
/** Texts and numbers, of which the first is taken that fits. */
const candidates: readonly unknown[] = [
  '0.00',
  moment,
  'UTC',
  'x',
  'x'.repeat(64),
  0,
  1,
  false,
  null,
  {},
  [],
];

const built = (schema: z.ZodType, given: unknown): unknown => {
  if (schema instanceof z.ZodOptional)
    return given === undefined ? undefined : built(schema.unwrap() as z.ZodType, given);
  if (schema instanceof z.ZodNullable)
    return given === undefined || given === null ? null : built(schema.unwrap() as z.ZodType, given);
  if (schema instanceof z.ZodObject) {
    const parts = (given ?? {}) as Record<string, unknown>;
    const shape = Object.entries(schema.shape as Record<string, z.ZodType>);
    return { ...parts, ...Object.fromEntries(shape.map(([key, part]) => [key, built(part, parts[key])])) };
  }
  if (schema instanceof z.ZodArray)
    return ((given ?? []) as unknown[]).map((one) => built(schema.element as z.ZodType, one));
  if (schema instanceof z.ZodUnion) {
    const options = (schema.options as z.ZodType[]).map((option) => built(option, given));
    return options.find((one) => schema.safeParse(one).success) ?? given;
  }
  if (schema instanceof z.ZodEnum) return given ?? schema.options[0];
  if (schema instanceof z.ZodLiteral) return given ?? schema.value;
  if (schema === timestamp) return given ?? moment;
  return given ?? candidates.find((one) => schema.safeParse(one).success);
};

/** @throws ZodError when what is given does not fit */
export const filled = (schema: z.ZodType, given: unknown): unknown => {
  const value = built(schema, given);
  const fits = schema instanceof z.ZodObject ? schema.strict() : schema;
  return fits.parse(value);
};
