// Assigns the server's refusal of a form to the fields that it names.
import { AppError, type FieldErrors } from '../../server/errors.ts';

/** The messages for a form's fields; null when the refusal is about something else. */
export const fieldErrors = (
  error: Error | null | undefined,
  fields: readonly string[],
): Record<string, string> | null => {
  if (!(error instanceof AppError)) return null;
  const faults = (error.details?.['fields'] ?? {}) as FieldErrors;
  // An error within a field is shown at the field.
  const found = Object.entries(faults).flatMap(([named, message]) => {
    const field = fields.find((name) => named === name || named.startsWith(`${name}.`));
    return field === undefined ? [] : [[field, sentence(message)] as const];
  });
  return found.length === 0 ? null : Object.fromEntries(found);
};

const sentence = (message: string): string => {
  const text = message.startsWith('must ') ? `It ${message}` : message;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
};
