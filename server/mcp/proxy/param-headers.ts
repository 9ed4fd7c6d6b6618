// Arguments of tools that an MCP server wants in HTTP headers too, for gateways that read no bodies: its schema marks them
// with `x-mcp-header`. https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
import { isObject, type JsonObject } from './message.ts';

/** One marked argument: where it stands among the arguments, and the name of its header after `Mcp-Param-`. */
interface Declared {
  path: readonly string[];
  header: string;
}

/** The parameters that a tool wants in headers. Null: its schema marks them in a way that a client must not use */
const declaredIn = (inputSchema: unknown): Declared[] | null => {
  try {
    const declared = chained(inputSchema, []);
    const marks = countMarks(inputSchema);
    const names = new Set(declared.map(({ header }) => header.toLowerCase()));
    return declared.length === marks && names.size === marks ? declared : null;
  } catch (error) {
    // Nested deeper than it can be looked at.
    if (error instanceof RangeError) return null;
    throw error;
  }
};

const mark = 'x-mcp-header';
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const allowedTypes: readonly unknown[] = ['string', 'integer', 'boolean'];

/** The valid marks of properties, and of properties of theirs. */
const chained = (schema: unknown, path: readonly string[]): Declared[] => {
  if (!isObject(schema)) return [];
  const { [mark]: header, type, properties } = schema;
  const isValid =
    path.length > 0 && typeof header === 'string' && token.test(header) && allowedTypes.includes(type);
  const inner = isObject(properties) ? Object.entries(properties) : [];
  return [
    ...(isValid ? [{ path, header }] : []),
    ...inner.flatMap(([name, property]) => chained(property, [...path, name])),
  ];
};

/** Keywords whose values hold schemas; those of the second list hold them by name. */
const inSchemas =
  'items prefixItems contains additionalProperties unevaluatedProperties unevaluatedItems propertyNames oneOf anyOf allOf not if then else'.split(
    ' ',
  );
const inNames = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];

/** Every mark, wherever it stands: one that no chain of properties leads to makes the tool invalid. */
const countMarks = (schema: unknown): number => {
  if (Array.isArray(schema)) return sum(schema.map(countMarks));
  if (!isObject(schema)) return 0;
  const named = inNames.flatMap((word) => (isObject(schema[word]) ? Object.values(schema[word]) : []));
  const inner = inSchemas.flatMap((word) => (word in schema ? [schema[word]] : []));
  return (mark in schema ? 1 : 0) + sum([...named, ...inner].map(countMarks));
};

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** The headers of a call with these arguments. What is left out or null has none. */
const paramHeaders = (declared: readonly Declared[], args: unknown): Record<string, string> =>
  Object.fromEntries(
    declared.flatMap(({ path, header }) => {
      const value = path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), args);
      const text = textOf(value);
      return text === null ? [] : [[`Mcp-Param-${header}`, headerValue(text)]];
    }),
  );

/** A number that no double holds has no header. */
const textOf = (value: unknown): string | null => {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? null : String(value);
};

/** Text as a header: what is not plain ASCII, or would be taken for the mark of base64, goes in base64. */
export const headerValue = (text: string): string =>
  /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;

export interface ToolHeaders {
  /**
   * Learns the tools of a list. Returns the numbers of those in it that a client must leave out.
   * @param result of `tools/list`
   */
  learn(result: unknown): number[];
  of(params: JsonObject): Record<string, string>;
}

export const createToolHeaders = (): ToolHeaders => {
  const known = new Map<unknown, Declared[]>();
  return {
    learn(result) {
      const tools = isObject(result) && Array.isArray(result['tools']) ? (result['tools'] as unknown[]) : [];
      return tools.flatMap((tool, at) => {
        if (!isObject(tool)) return [];
        const declared = declaredIn(tool['inputSchema']);
        known.set(tool['name'], declared ?? []);
        return declared === null ? [at] : [];
      });
    },
    of: ({ name, arguments: args }) => paramHeaders(known.get(name) ?? [], args),
  };
};
