// A message of JSON-RPC as it came. Its bytes are passed on, and what they say is only looked at. Where something has to be
// written anew, every character around it stays: a number that no double holds, and a member that nobody here knows.
import { applyEdits, findNodeAtLocation, modify, parseTree, type JSONPath, type Node } from 'jsonc-parser';
import { isObject, jsonIn, type JsonObject } from '../../lib/base64-json.ts';

export { isObject, type JsonObject } from '../../lib/base64-json.ts';

/** One message, also one of a batch. */
export interface Part {
  /** Its JSON as it came. */
  text: string;
  said: JsonObject;
}

/** A line of JSON, without its end. */
export interface Message {
  bytes: Buffer;
  text: string;
  said: JsonObject | readonly unknown[];
}

export interface Request extends Part {
  /** As JSON, since 1 and "1" are different ids; in its own digits where no double holds it. */
  id: string;
  method: string;
  /** Empty for positional ones too, which MCP does not have. */
  params: JsonObject;
}

const byteOrderMark = Buffer.from('\uFEFF');

/** Null for a line that is no message: JSON of another kind, or a banner. A byte order mark is no part of a message. */
export const readMessage = (line: Buffer): Message | null => {
  const isMarked = line.subarray(0, byteOrderMark.length).equals(byteOrderMark);
  const bytes = isMarked ? line.subarray(byteOrderMark.length) : line;
  const text = bytes.toString();
  const said = jsonIn(text);
  return isObject(said) || Array.isArray(said) ? { bytes, text, said } : null;
};

/** A message of ours. */
export const messageOf = (text: string): Message => ({
  bytes: Buffer.from(text),
  text,
  said: JSON.parse(text) as Message['said'],
});

/** The message, or those of a batch. What is no message within a batch says nothing. */
export const partsOf = ({ text, said }: Message): Part[] => {
  if (!isBatch(said)) return [{ text, said }];
  const elements = parseTree(text)?.children ?? [];
  return elements.map((node, at) => ({
    text: sourceOf(text, node),
    said: isObject(said[at]) ? said[at] : {},
  }));
};

const isBatch = (said: Message['said']): said is readonly unknown[] => Array.isArray(said);

/**
 * Looks at each part of a message. What `look` returns takes the place of the part, and null takes it out.
 * @returns the very message where nothing changed, or where it is nested too deep to be looked at; null: nothing is left
 */
export const lookedAt = (message: Message, look: (part: Part) => string | null): Message | null => {
  try {
    const parts = partsOf(message);
    const texts = parts.map(look);
    if (texts.every((text, at) => text === parts[at]?.text)) return message;
    const left = texts.filter((text) => text !== null);
    if (left.length === 0) return null;
    return messageOf(isBatch(message.said) ? `[${left.join(',')}]` : left.join(''));
  } catch (error) {
    if (error instanceof RangeError) return message;
    throw error;
  }
};

/** Null for a notification, a response, and anything else. */
export const requestIn = ({ text, said }: Part): Request | null => {
  const { id = null, method, params } = said;
  if (typeof method !== 'string' || id === null) return null;
  return { text, said, id: jsonAt(text, ['id'], id), method, params: isObject(params) ? params : {} };
};

/** The id, as JSON, of the request that it answers. Null: it is no response */
export const answeredBy = ({ text, said }: Part): string | null => {
  const { id, method, result, error = null } = said;
  if (id === undefined || method !== undefined || (result === undefined && error === null)) return null;
  return jsonAt(text, ['id'], id);
};

/** The id, as JSON, of the request that a notification cancels; null for anything else. */
export const cancelledBy = ({ text, said }: Part): string | null => {
  const { id, method, params } = said;
  if (method !== 'notifications/cancelled' || id !== undefined || !isObject(params)) return null;
  return jsonAt(text, ['params', 'requestId'], params['requestId']);
};

/** The value at a place as JSON. A number has its own digits where a double would have others. */
export const jsonAt = (text: string, path: JSONPath, value: unknown): string => {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return JSON.stringify(value) ?? 'null';
  const root = parseTree(text);
  const node = root === undefined ? undefined : findNodeAtLocation(root, path);
  return node === undefined ? String(value) : sourceOf(text, node);
};

const sourceOf = (text: string, { offset, length }: Node): string => text.slice(offset, offset + length);

/** The same message under another id. @param id as JSON */
export const withId = (text: string, id: string): string => {
  const members = parseTree(text)?.children ?? [];
  const ids = members.flatMap(({ children: [key, value] = [] }) =>
    key?.value === 'id' && value !== undefined ? [value] : [],
  );
  return applyEdits(
    text,
    ids.map(({ offset, length }) => ({ offset, length, content: id })),
  );
};

/** The same message with one more member, whose parents are made where they are no objects. */
export const withMember = (text: string, path: readonly string[], value: unknown): string => {
  const root = parseTree(text);
  const isOther = (depth: number): boolean => {
    const node = root === undefined ? undefined : findNodeAtLocation(root, path.slice(0, depth));
    return node !== undefined && node.type !== 'object';
  };
  const depth = path.findIndex((_, at) => at > 0 && isOther(at));
  const [place, under] = depth === -1 ? [path, []] : [path.slice(0, depth), path.slice(depth)];
  const made = under.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return applyEdits(text, modify(text, [...place], made, {}));
};

/** A response of ours. @param id as JSON */
export const responseTo = (id: string, said: JsonObject): string =>
  `{"jsonrpc":"2.0","id":${id},${JSON.stringify(said).slice(1)}`;

/** What JSON says, to compare: a number that no double holds stands for its digits. */
export const exactly = (text: string): unknown =>
  JSON.parse(text, (_key, value: unknown, { source = '' }: { source?: string } = {}) =>
    typeof value === 'number' && !isHeld(source, value) ? { number: source } : value,
  );

/** A double gives 15 digits back as they were written. */
const isHeld = (source: string, value: number): boolean => {
  if (String(value) === source) return true;
  const digits = source.replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+/, '');
  return Number.isFinite(value) && digits.length <= 15 && (value !== 0 || digits === '');
};

/** The same message without some elements of an array. */
export const withoutElements = (text: string, path: JSONPath, unwanted: readonly number[]): string => {
  const root = parseTree(text);
  const list = root === undefined ? undefined : findNodeAtLocation(root, path);
  if (list?.children === undefined || unwanted.length === 0) return text;
  const left = list.children.filter((_, at) => !unwanted.includes(at)).map((node) => sourceOf(text, node));
  return applyEdits(text, [{ offset: list.offset, length: list.length, content: `[${left.join(',')}]` }]);
};
