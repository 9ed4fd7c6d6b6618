// Configuration formats of MCP hosts. A format changes its own entry and leaves every other character as it is.
import type { Reply } from '../../contract/schemas.ts';
import { membersOf, startOf, unitOf, valueAt } from './json-text.ts';

export type McpConfig = Reply<'addKey'>['mcpConfig'];
export const serverName = 'agent-treasury';

export interface Edit {
  /** The whole file after the change. */
  text: string;
  /** The entry that it replaces. */
  before: string | null;
}

export interface Format {
  /** The file with our entry, or the reason why it cannot be changed safely. A missing file is empty. */
  edit(text: string, config: McpConfig): Edit | { refused: string };
  /** Our entry as it is in the file. */
  find(text: string): string | null;
  /** A whole file with our entry alone, to be pasted. */
  whole(config: McpConfig): string;
}

/** One of our variables in an entry; every format writes them as `NAME = "value"`, with `:` or `=`. */
export const variableIn = (entry: string, name: string): string | null => {
  const quoted = new RegExp(`"?${name}"?\\s*[:=]\\s*("(?:[^"\\\\\\n]|\\\\.)*")`).exec(entry)?.[1];
  if (quoted === undefined) return null;
  try {
    return String(JSON.parse(quoted));
  } catch {
    return null;
  }
};

/** A basic string of TOML, and a double-quoted one of YAML: JSON's escapes are valid in both. */
export const quoted = (text: string): string => JSON.stringify(text).replaceAll('\u007F', '\\u007f');

const notPlain = 'it has comments or is not plain JSON, and rewriting it would lose them';

export const jsonFormat = (section: string, more: Readonly<Record<string, string>> = {}): Format => ({
  edit(text, config) {
    const source = text.trim() === '' ? '{}\n' : text;
    if (!isJsonObject(source)) return { refused: notPlain };
    const found = valueAt(source, [section]);
    if (found !== null && source[found.start] !== '{') return { refused: `its ${section} is no object` };
    const entry = { ...more, ...config };
    if (found === null)
      return { text: put(source, startOf(source), section, { [serverName]: entry }), before: null };
    return { text: put(source, found.start, serverName, entry), before: this.find(source) };
  },
  find(text) {
    if (!isJsonObject(text)) return null;
    const found = valueAt(text, [section, serverName]);
    return found === null ? null : text.slice(found.start, found.end);
  },
  whole: (config) => JSON.stringify({ [section]: { [serverName]: { ...more, ...config } } }, null, 2),
});

const isJsonObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

/** Sets one member of the object that opens at `open`, with the file's own indentation. */
const put = (text: string, open: number, name: string, value: unknown): string => {
  const { unit, newline } = unitOf(text);
  const members = membersOf(text, open);
  const known = members.findLast(({ key }) => key === name);
  const line = text.slice(text.lastIndexOf('\n', open) + 1, open);
  const outer = /^\s*/.exec(line)?.[0] ?? '';
  const written = JSON.stringify(value, null, unit).replaceAll('\n', `${newline}${outer}${unit}`);
  if (known !== undefined) return text.slice(0, known.start) + written + text.slice(known.end);
  const member = `${newline}${outer}${unit}${JSON.stringify(name)}: ${written}`;
  const last = members.at(-1);
  if (last !== undefined) return `${text.slice(0, last.end)},${member}${text.slice(last.end)}`;
  const close = text.indexOf('}', open);
  return `${text.slice(0, open + 1)}${member}${newline}${outer}${text.slice(close)}`;
};
