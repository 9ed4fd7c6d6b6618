// Codex's config.toml: only our own server's tables are written, and every other line stays.
import { isDeepStrictEqual } from 'node:util';
import { parse, TomlError, type TomlTable } from 'smol-toml';
import { quoted, serverName, type Format, type McpConfig } from './format.ts';
import { linesOf, replaceLines, type Range } from './lines.ts';

const section = 'mcp_servers';
const header = /^\s*\[\[?[^[\]]+\]\]?\s*(?:#.*)?$/;
const ours = new RegExp(`^\\s*\\[\\s*${section}\\s*\\.\\s*["']?${serverName}["']?\\s*(?:\\.[^\\]]*)?\\]`);

const block = ({ command, args, env }: McpConfig): string =>
  [
    `[${section}.${serverName}]`,
    `command = ${quoted(command)}`,
    `args = [${args.map(quoted).join(', ')}]`,
    '',
    `[${section}.${serverName}.env]`,
    ...Object.entries(env).map(([name, value]) => `${name} = ${quoted(value)}`),
  ].join('\n');

/** Null for text that is not valid. */
const valuesIn = (text: string): TomlTable | null => {
  try {
    return parse(text, { integersAsBigInt: true });
  } catch (error) {
    if (error instanceof TomlError) return null;
    throw error;
  }
};

/** Our tables, if they are contiguous; comments before the next table belong to that one. */
const rangeOf = (lines: readonly string[]): Range | null => {
  const start = lines.findIndex((line) => ours.test(line));
  if (start < 0) return null;
  let end = lines.findIndex((line, at) => at > start && header.test(line) && !ours.test(line));
  if (end < 0) end = lines.length;
  while (/^\s*(?:#.*)?$/.test(lines[end - 1] ?? 'x')) end -= 1;
  return { start, end };
};

/** A file's values as our own entry, and all the others. */
const split = ({ [section]: servers = {}, ...rest }: TomlTable): { own: unknown; others: unknown } => {
  const { [serverName]: own, ...theirs } = servers as TomlTable;
  return { own, others: { ...rest, [section]: theirs } };
};

/** False when our tables stand in another form, or what looks like one of them is part of something else. */
const isSafe = (before: TomlTable, after: string, written: string): boolean => {
  const [found, alone] = [valuesIn(after), valuesIn(written)];
  if (found === null || alone === null) return false;
  const { own, others } = split(found);
  return isDeepStrictEqual(own, split(alone).own) && isDeepStrictEqual(others, split(before).others);
};

export const tomlFormat: Format = {
  edit(text, config) {
    const before = valuesIn(text);
    if (before === null) return { refused: 'it is not valid TOML' };
    const written = block(config);
    const after = replaceLines(text, rangeOf(linesOf(text)), written);
    return isSafe(before, after, written)
      ? { text: after, before: this.find(text) }
      : { refused: `it names ${serverName} or its servers in another form` };
  },
  find(text) {
    const lines = linesOf(text);
    const range = rangeOf(lines);
    return range === null || valuesIn(text) === null ? null : lines.slice(range.start, range.end).join('\n');
  },
  whole: block,
};
