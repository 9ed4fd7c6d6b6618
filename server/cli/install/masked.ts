// An entry as it may be shown: without the secrets that it holds for its server.
import type { Form } from './form.ts';
import { runners } from '../../mcp/proxy/command.ts';
import { isTable, type Values } from './format.ts';
import type { McpHost } from './hosts.ts';

const hidden = '…';
/** Variables of ours that are no secret. */
const shown = /^TREASURY_(?:OWNER|AGENT_ID|URL|DATA)$/;
const secret = /key|token|secret|passw|pwd|auth|bearer|credential|\bpat\b|_pat\b/i;
/** Tokens that begin as those of well-known providers do. */
const token = /\b(?:sk-|ghp_|gho_|github_pat_|glpat-|xox[a-z]-|AKIA)[\w-]{8,}/g;

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
  const plain = text.replaceAll(/atk_[\w()-]+/g, 'atk_…').replaceAll(token, hidden);
  // Of any scheme: a database's URL holds its password, too.
  const [, place = '', query = ''] = /^([a-z][a-z0-9+.-]*:\/\/[^?#]*)([?#].*)?$/is.exec(plain) ?? [];
  if (place === '') return plain;
  const anonymous = place.replace(/^([^/]*\/\/)[^/@]*@/, `$1${hidden}@`);
  return `${anonymous}${query === '' ? '' : `?${hidden}`}`;
};

/**
 * The words of a command that agents may read: its program and the package that it runs. All that follows may hold
 * secrets.
 */
export const publicWords = (command: readonly string[]): string[] => {
  const [program = '', ...rest] = command;
  const at = runners.test(program.replace(/^.*[\\/]/, ''))
    ? rest.findIndex((word) => !word.startsWith('-'))
    : -1;
  const shownWords = [program, ...rest.slice(0, at + 1)];
  const isPlain = shownWords.every((word) => /^[@\w./\\:-]{1,200}$/.test(word) && !word.includes('://'));
  const visible = isPlain ? shownWords : [program];
  return visible.length === command.length ? visible : [...visible, hidden];
};
