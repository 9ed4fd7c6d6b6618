// Configuration formats of MCP hosts. A format changes one entry and leaves every other character as it is.
import type { Reply } from '../../contract/schemas.ts';

export type McpConfig = Reply<'addKey'>['mcpConfig'];
/** The name of our own entry. */
export const serverName = 'agent-treasury';

/** The members of an entry, in the order in which they are written. */
export type Values = Readonly<Record<string, unknown>>;

export interface Edit {
  /** The whole file after the change. */
  text: string;
  /** The entry that it replaces. */
  before: string | null;
}
export interface Refused {
  refused: string;
}

export interface Format {
  /** The file with the entry of this name, or the reason why it cannot be changed safely. A missing file is empty. */
  edit(text: string, name: string, values: Values): Edit | Refused;
  /** The file with exactly this text in place of the entry of this name, or the reason why that is not safe. */
  restore(text: string, name: string, entry: string): Edit | Refused;
  /** The entry as it is in the file. */
  find(text: string, name: string): string | null;
  /** All entries by their names; none for a file that is not valid. */
  entries(text: string): Values;
  /** A whole file with this entry alone, to be pasted. */
  whole(name: string, values: Values): string;
}

export const isTable = (value: unknown): value is Values =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);

export const membersOf = (value: unknown): Values => (isTable(value) ? value : {});

/** A member that a file may lack. */
export const memberOf = (values: Values, name: string): unknown =>
  Object.hasOwn(values, name) ? values[name] : undefined;

/** A basic string of TOML: JSON's escapes are valid in it. */
export const quoted = (text: string): string => JSON.stringify(text).replaceAll('\u007F', '\\u007f');
