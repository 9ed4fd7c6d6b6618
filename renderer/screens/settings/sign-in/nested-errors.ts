// The server names a field by its path in the request: `mailServer.port: must be ...`.
import { fieldErrors } from '../../../shared/field-errors.ts';

/** Errors by the form's own field names; null when the refusal is about something else. */
export const nestedErrors = (
  error: Error | null,
  within: string,
  fields: readonly string[],
): Record<string, string> | null => {
  const found = fieldErrors(
    error,
    fields.map((field) => `${within}.${field}`),
  );
  return found === null
    ? null
    : Object.fromEntries(Object.entries(found).map(([name, text]) => [name.slice(within.length + 1), text]));
};
