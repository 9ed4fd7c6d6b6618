// Codex's config.toml: only our own server's tables are written; the rest is not even parsed.
import { quoted, serverName, type Format, type McpConfig } from './format.ts';
import { linesOf, replaceLines, type Range } from './lines.ts';

const header = /^\s*\[\[?[^[\]]+\]\]?\s*(?:#.*)?$/;
const ours = new RegExp(`^\\s*\\[\\s*mcp_servers\\s*\\.\\s*["']?${serverName}["']?\\s*(?:\\.[^\\]]*)?\\]`);

const block = ({ command, args, env }: McpConfig): string =>
  [
    `[mcp_servers.${serverName}]`,
    `command = ${quoted(command)}`,
    `args = [${args.map(quoted).join(', ')}]`,
    '',
    `[mcp_servers.${serverName}.env]`,
    ...Object.entries(env).map(([name, value]) => `${name} = ${quoted(value)}`),
  ].join('\n');

/** Our tables, if they are contiguous; comments before the next table belong to that one. */
const rangeOf = (lines: readonly string[]): Range | null => {
  const start = lines.findIndex((line) => ours.test(line));
  if (start < 0) return null;
  let end = lines.findIndex((line, at) => at > start && header.test(line) && !ours.test(line));
  if (end < 0) end = lines.length;
  while (/^\s*(?:#.*)?$/.test(lines[end - 1] ?? 'x')) end -= 1;
  return { start, end };
};

const elsewhere = (lines: readonly string[]): boolean =>
  lines.some(
    (line) => !/^\s*#/.test(line) && (line.includes(serverName) || /^\s*mcp_servers\s*=/.test(line)),
  );

export const tomlFormat: Format = {
  edit(text, config) {
    const lines = linesOf(text);
    const range = rangeOf(lines);
    const rest = range === null ? lines : lines.toSpliced(range.start, range.end - range.start);
    if (elsewhere(rest)) return { refused: `it names ${serverName} or its servers in another form` };
    return { text: replaceLines(text, range, block(config)), before: this.find(text) };
  },
  find(text) {
    const lines = linesOf(text);
    const range = rangeOf(lines);
    return range === null ? null : lines.slice(range.start, range.end).join('\n');
  },
  whole: block,
};
