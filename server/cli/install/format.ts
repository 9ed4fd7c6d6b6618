// Configuration formats of MCP hosts. A format changes its own entry and leaves every other character as it is.
import type { Reply } from '../../contract/schemas.ts';

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

/**
 * One of our variables in an entry; every format writes them as `NAME = "value"`, with `:` or `=`. Not one in a comment:
 * it opens its line, or follows `{` or `,`.
 */
export const variableIn = (entry: string, name: string): string | null => {
  const plain = entry.replaceAll(/\/\*[^]*?\*\//g, '');
  const pair = new RegExp(`(?:^|[{,])\\s*"?${name}"?\\s*[:=]\\s*("(?:[^"\\\\\\n]|\\\\.)*")`, 'm');
  const quoted = pair.exec(plain)?.[1];
  if (quoted === undefined) return null;
  try {
    return String(JSON.parse(quoted));
  } catch {
    return null;
  }
};

/** A basic string of TOML, and a double-quoted one of YAML: JSON's escapes are valid in both. */
export const quoted = (text: string): string => JSON.stringify(text).replaceAll('\u007F', '\\u007f');
