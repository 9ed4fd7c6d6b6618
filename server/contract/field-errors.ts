// What is wrong with an input, as one sentence for each field.
import type { z } from 'zod';
import { AppError } from '../errors.ts';

const mostFields = 20;

/** @throws AppError `bad_request` that names the fields */
export const parse = <S extends z.ZodType>(schema: S, value: unknown): z.output<S> => {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new AppError('bad_request', fieldErrors(parsed.error));
};

const fieldErrors = (error: z.ZodError): string =>
  error.issues
    .flatMap((issue) => {
      const path = issue.path.join('.');
      if (issue.code === 'unrecognized_keys')
        return issue.keys.map(
          (key) => `${[path, key.slice(0, 80)].filter(Boolean).join('.')}: is not a field of this request`,
        );
      const missing = issue.code === 'invalid_type' && issue.input === undefined;
      return [
        `${path === '' ? 'body' : path}: ${missing ? 'is required and ' : ''}${lowerFirst(issue.message)}`,
      ];
    })
    .slice(0, mostFields)
    .join('; ') + '.';

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
