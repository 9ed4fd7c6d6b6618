// Parses inputs; the error holds one sentence for each wrong field.
import type { z } from 'zod';
import { fieldErrors, type FieldErrors } from '../errors.ts';

const mostFields = 20;

/**
 * @param strange the sentence for a field that the schema does not know
 * @throws AppError `bad_request` that names the fields
 */
export const parse = <S extends z.ZodType>(
  schema: S,
  value: unknown,
  strange = 'is not a field of this request',
): z.output<S> => {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw fieldErrors(errorsOf(parsed.error, strange));
};

const errorsOf = ({ issues }: z.ZodError, strange: string): FieldErrors => {
  const named = issues.flatMap(meant).flatMap((issue): [string, string][] => {
    const path = issue.path.join('.');
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => [[path, key.slice(0, 80)].filter(Boolean).join('.'), strange]);
    return [[path === '' ? 'body' : path, sentenceOf(issue)]];
  });
  // Of the rules that a field breaks, the first is reported.
  const first = named.filter(([field], at) => named.findIndex(([other]) => other === field) === at);
  return Object.fromEntries(first.slice(0, mostFields));
};

/** For a field that is left out, the library's own message adds nothing. */
const sentenceOf = ({ code, input, message }: z.core.$ZodIssue): string => {
  const isMissing = input === undefined && ['invalid_type', 'invalid_value'].includes(code);
  if (!isMissing) return lowerFirst(message);
  return /^Invalid (?:input|option)\b/.test(message)
    ? 'is required'
    : `is required and ${lowerFirst(message)}`;
};

const strangers = (issues: readonly z.core.$ZodIssue[]): number =>
  issues.reduce((sum, one) => sum + (one.code === 'unrecognized_keys' ? one.keys.length : 0), 0);

/** For a union: the issues of the variant with the fewest unknown fields. */
const meant = (issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] => {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const [nearest = []] = issue.errors.toSorted((a, b) => strangers(a) - strangers(b));
  return nearest.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
};

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
