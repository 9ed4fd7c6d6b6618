// Goose's config.yaml: only our own entry below `extensions:` is written; the rest is not even parsed.
import { quoted, serverName, type Format, type McpConfig } from './format.ts';
import { linesOf, replaceLines, type Range } from './lines.ts';

const entry = ({ command, args, env }: McpConfig, indent: string): string =>
  [
    `${serverName}:`,
    '  enabled: true',
    '  type: stdio',
    `  name: ${serverName}`,
    `  cmd: ${quoted(command)}`,
    `  args: [${args.map(quoted).join(', ')}]`,
    '  envs:',
    ...Object.entries(env).map(([name, value]) => `    ${name}: ${quoted(value)}`),
    '  timeout: 300',
  ]
    .map((line) => indent + line)
    .join('\n');

const indentOf = (line: string): number => /^ */.exec(line)?.[0].length ?? 0;
const isEmpty = (line: string): boolean => /^\s*(?:#.*)?$/.test(line);

/** The lines from `first` up to the next one that is indented no deeper than `indent`. */
const deeperThan = (lines: readonly string[], indent: number, first: number): Range => {
  let end = lines.findIndex((line, at) => at >= first && !isEmpty(line) && indentOf(line) <= indent);
  if (end < 0) end = lines.length;
  while (end > first && isEmpty(lines[end - 1] ?? '')) end -= 1;
  return { start: first, end };
};

interface Place {
  /** The lines of `extensions:`, or null. */
  section: Range | null;
  indent: number;
  own: Range | null;
}

const placeOf = (lines: readonly string[]): Place => {
  const heading = lines.findIndex((line) => /^extensions:\s*(?:#.*)?$/.test(line));
  if (heading < 0) return { section: null, indent: 2, own: null };
  const section = deeperThan(lines, 0, heading + 1);
  const first = lines.slice(section.start, section.end).find((line) => !isEmpty(line));
  const indent = first === undefined ? 2 : indentOf(first);
  const name = `${' '.repeat(indent)}${serverName}:`;
  const start = lines.findIndex(
    (line, at) => at >= section.start && at < section.end && line.trimEnd() === name,
  );
  const own = start < 0 ? null : { start, end: deeperThan(lines, indent, start + 1).end };
  return { section, indent, own };
};

const refusal = (lines: readonly string[], { section, own }: Place): string | null => {
  const rest = own === null ? lines : lines.toSpliced(own.start, own.end - own.start);
  if (rest.some((line) => !/^\s*#/.test(line) && line.includes(serverName)))
    return `it names ${serverName} in another form`;
  if (section === null && rest.some((line) => /^["']?extensions["']?\s*:/.test(line)))
    return 'its extensions are written in another form';
  if (
    rest.some(
      (line, at) => line.startsWith('\t') || /^[{[]/.test(line) || (at > 0 && /^(?:---|\.\.\.)/.test(line)),
    )
  )
    return 'it is not written as one plain document';
  return null;
};

export const yamlFormat: Format = {
  edit(text, config) {
    const lines = linesOf(text);
    const place = placeOf(lines);
    const refused = refusal(lines, place);
    if (refused !== null) return { refused };
    const { section, indent, own } = place;
    const written = entry(config, ' '.repeat(indent));
    if (section === null) return { text: replaceLines(text, null, `extensions:\n${written}`), before: null };
    return {
      text: replaceLines(text, own ?? { start: section.end, end: section.end }, written),
      before: this.find(text),
    };
  },
  find(text) {
    const lines = linesOf(text);
    const { own } = placeOf(lines);
    return own === null ? null : lines.slice(own.start, own.end).join('\n');
  },
  whole: (config) => `extensions:\n${entry(config, '  ')}`,
};
