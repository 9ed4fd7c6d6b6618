// An entry as it may be shown: without the secrets that it holds for its server.
import type { Form } from './form.ts';
import { isTable, type Values } from './format.ts';
import type { McpHost } from './hosts.ts';

const hidden = '…';
/** Variables of ours that are no secret. */
const shown = /^TREASURY_(?:OWNER|AGENT_ID|URL|DATA)$/;
const secret = /key|token|secret|passw|auth|credential/i;

/** A whole file with this entry alone. */
export const shownEntry = ({ format, form }: McpHost, name: string, values: Values): string =>
  format.whole(name, maskedEntry(form, values));

/** Every variable and header is masked, and what looks like a secret elsewhere. */
const maskedEntry = ({ env, headers }: Form, values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (name === env || name === headers) return [name, maskedTable(value)];
      if (name === 'args' && Array.isArray(value)) return [name, maskedWords(value)];
      return [name, maskedValue(name, value)];
    }),
  );

const maskedTable = (value: unknown): unknown =>
  isTable(value)
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shown.test(name) ? one : hidden]))
    : hidden;

const maskedValue = (name: string, value: unknown): unknown => {
  if (isTable(value))
    return Object.fromEntries(Object.entries(value).map(([at, one]) => [at, maskedValue(at, one)]));
  if (typeof value !== 'string') return value;
  return secret.test(name) ? hidden : withoutCredentials(value);
};

/** The words of a command: an option's value, or what follows `=` or a header's colon, where the name sounds secret. */
export const maskedWords = (words: readonly unknown[]): unknown[] =>
  words.map((word, at) => {
    if (typeof word !== 'string') return word;
    const option = words[at - 1];
    if (option === '--header' || option === '-H') return word.replace(/:.*$/s, `: ${hidden}`);
    if (
      typeof option === 'string' &&
      /^--?[^=]*$/.test(option) &&
      secret.test(option) &&
      !word.startsWith('-')
    )
      return hidden;
    const [, name = '', mark = ''] = /^([^=:\s]+)([=:])./s.exec(word) ?? [];
    return secret.test(name) ? `${name}${mark}${hidden}` : withoutCredentials(word);
  });

/** A URL without its query, user and password; any other text as it is, but for keys of ours. */
const withoutCredentials = (text: string): string => {
  const plain = text.replaceAll(/atk_[\w()-]+/g, 'atk_…');
  const url = /^https?:/i.test(plain) && URL.canParse(plain) ? new URL(plain) : null;
  if (url === null || (url.search === '' && url.username === '' && url.password === '')) return plain;
  return `${url.origin}${url.pathname}${url.search === '' ? '' : `?${hidden}`}`;
};
