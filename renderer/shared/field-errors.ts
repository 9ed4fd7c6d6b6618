// Assigns the server's refusal of a form to the fields that it names.
import { AppError } from '../../server/errors.ts';

/** Refusals about fields: a broken rule, a name already taken, or a fault that the treasury found elsewhere. */
const codes = new Set(['bad_request', 'conflict', 'not_available']);

/** Parses `field: message; other: message` by a form's fields; null when the refusal is about something else. */
export const fieldErrors = (
  error: Error | null | undefined,
  fields: readonly string[],
): Record<string, string> | null => {
  if (!(error instanceof AppError) || !codes.has(error.code)) return null;
  const found: Record<string, string> = {};
  for (const part of error.message.split(/; (?=[\w.]+: )/)) {
    const [, name = '', message = ''] = /^([\w.]+): (.+)$/s.exec(part) ?? [];
    if (fields.includes(name)) found[name] = sentence(message);
  }
  return Object.keys(found).length === 0 ? null : found;
};

const sentence = (message: string): string => {
  const text = message.startsWith('must ') ? `It ${message}` : message;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
};
