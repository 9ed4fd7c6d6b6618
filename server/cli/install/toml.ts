// Codex's config.toml: only one server's tables are written, and every other line stays.
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify, TomlError, type TomlTable } from 'smol-toml';
import { isTable, membersOf, quoted, type Edit, type Format, type Refused, type Values } from './format.ts';
import { linesOf, putLines, replaceLines, textOfLines, type Range } from './lines.ts';

const section = 'mcp_servers';
const header = /^\s*\[\[?[^[\]]+\]\]?\s*(?:#.*)?$/;
const isBare = (key: string): boolean => /^[\w-]+$/.test(key);
const keyOf = (key: string): string => (isBare(key) ? key : quoted(key));

/** The headers of a server's tables. */
const headerOf = (name: string): RegExp => {
  const [literal, quote] = [name.replaceAll(/\W/g, '\\$&'), isBare(name) ? `["']?` : `["']`];
  return new RegExp(`^\\s*\\[\\s*${section}\\s*\\.\\s*${quote}${literal}${quote}\\s*(?:\\.[^\\]]*)?\\]`);
};

const block = (name: string, values: Values): string =>
  tables(`${section}.${keyOf(name)}`, values).join('\n\n');

/** A table and those below it. */
const tables = (path: string, values: Values): string[] => {
  const all = Object.entries(values);
  const lines = all.flatMap(([key, value]) => (isTable(value) ? [] : [`${keyOf(key)} = ${inline(value)}`]));
  const below = all.flatMap(([key, value]) => (isTable(value) ? tables(`${path}.${keyOf(key)}`, value) : []));
  return [[`[${path}]`, ...lines].join('\n'), ...below];
};

const inline = (value: unknown): string => {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (isTable(value))
    return `{ ${Object.entries(value)
      .map(([key, one]) => `${keyOf(key)} = ${inline(one)}`)
      .join(', ')} }`;
  return stringify({ x: value }, { numbersAsFloat: true }).slice('x = '.length).trimEnd();
};

/** Null for text that is not valid. */
const valuesIn = (text: string): TomlTable | null => {
  try {
    return parse(text, { integersAsBigInt: true });
  } catch (error) {
    if (error instanceof TomlError) return null;
    throw error;
  }
};

/** Says where text is not valid. */
const faultIn = (text: string): string => {
  try {
    parse(text);
    return 'it is not valid TOML';
  } catch (error) {
    const { line, column } = error as TomlError;
    return `it is not valid TOML: line ${line}, column ${column}`;
  }
};

/** A server's tables, if they are contiguous; comments before the next table belong to that one. */
const rangeOf = (lines: readonly string[], name: string): Range | null => {
  const own = headerOf(name);
  const start = lines.findIndex((line) => own.test(line));
  if (start < 0) return null;
  let end = lines.findIndex((line, at) => at > start && header.test(line) && !own.test(line));
  if (end < 0) end = lines.length;
  while (/^\s*(?:#.*)?$/.test(lines[end - 1] ?? 'x')) end -= 1;
  return { start, end };
};

/** A file's values as the entry of this name, and all the others. */
const split = (
  { [section]: servers = {}, ...rest }: TomlTable,
  name: string,
): { own: unknown; others: unknown } => {
  const { [name]: own, ...theirs } = servers as TomlTable;
  return { own, others: { ...rest, [section]: theirs } };
};

/** False when its tables stand in another form, or what looks like one of them is part of something else. */
const isSafe = (before: TomlTable, after: string, written: string, name: string): boolean => {
  const [found, alone] = [valuesIn(after), valuesIn(written)];
  if (found === null || alone === null) return false;
  const { own, others } = split(found, name);
  return (
    isDeepStrictEqual(own, split(alone, name).own) && isDeepStrictEqual(others, split(before, name).others)
  );
};

const find = (text: string, name: string): string | null => {
  const range = rangeOf(linesOf(text), name);
  return range === null || valuesIn(text) === null ? null : textOfLines(text, range);
};

const otherForm = (name: string): Refused => ({
  refused: `it names ${name} or its servers in another form`,
});

const put = (
  text: string,
  name: string,
  written: string,
  replaced: (range: Range | null) => string,
): Edit | Refused => {
  const before = valuesIn(text);
  if (before === null) return { refused: faultIn(text) };
  const after = replaced(rangeOf(linesOf(text), name));
  return isSafe(before, after, written, name) ? { text: after, before: find(text, name) } : otherForm(name);
};

export const tomlFormat: Format = {
  edit(text, name, values) {
    const written = block(name, values);
    return put(text, name, written, (range) => replaceLines(text, range, written));
  },
  restore(text, name, entry) {
    const edit = put(text, name, entry, (range) => (range === null ? text : putLines(text, range, entry)));
    return 'refused' in edit || find(edit.text, name) === entry ? edit : otherForm(name);
  },
  find,
  entries: (text) => membersOf(valuesIn(text)?.[section]),
  whole: block,
};
