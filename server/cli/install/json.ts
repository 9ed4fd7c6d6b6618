// Configuration in JSON, with or without comments and trailing commas: only one entry is written, and every other
// character stays.
import {
  applyEdits,
  getNodeValue,
  parseTree,
  printParseErrorCode,
  visit,
  type Edit as TextEdit,
  type Node,
  type ParseError,
} from 'jsonc-parser';
import { membersOf, type Format } from './format.ts';

export const jsonFormat = (section: string): Format => ({
  edit(marked, name, values) {
    const text = unmarked(marked);
    const source = text.trim() === '' ? '{}\n' : text;
    const root = objectIn(source);
    if (root === null) return { refused: faultIn(source) };
    const servers = membersNamed(root, section);
    if (servers.length > 1) return { refused: `its ${section} is there twice` };
    const [found] = servers;
    if (found !== undefined && found.type !== 'object') return { refused: `its ${section} is no object` };
    if (found === undefined) return { text: add(source, root, section, { [name]: values }), before: null };
    const own = membersNamed(found, name);
    if (own.length > 1) return { refused: `its ${section} names ${name} twice` };
    const [former] = own;
    return former === undefined
      ? { text: add(source, found, name, values), before: null }
      : { text: replace(source, former, printed(source, found, values)), before: textOf(source, former) };
  },
  restore(marked, name, entry) {
    const text = unmarked(marked);
    const own = entryIn(text, section, name);
    const after = own === undefined ? text : replace(text, own, entry);
    const found = entryIn(after, section, name);
    return own !== undefined && found !== undefined && textOf(after, found) === entry
      ? { text: after, before: textOf(text, own) }
      : { refused: `its ${section} would not be valid JSON` };
  },
  find(marked, name) {
    const text = unmarked(marked);
    const own = entryIn(text, section, name);
    return own === undefined ? null : textOf(text, own);
  },
  entries(text) {
    const root = objectIn(unmarked(text));
    const found = root === null ? undefined : membersNamed(root, section).at(-1);
    return found === undefined ? {} : membersOf(getNodeValue(found));
  },
  whole: (name, values) => JSON.stringify({ [section]: { [name]: values } }, null, 2),
});

const entryIn = (text: string, section: string, name: string): Node | undefined => {
  const root = objectIn(text);
  const found = root === null ? undefined : membersNamed(root, section).at(-1);
  return found === undefined ? undefined : membersNamed(found, name).at(-1);
};

/** JSON has no byte order mark, and hosts refuse a file that begins with one: what is written has none. */
const unmarked = (text: string): string => text.replace(/^\uFEFF/, '');

/** Says where text is not valid JSON with comments and trailing commas. */
const faultIn = (text: string): string => {
  const errors: ParseError[] = [];
  parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return 'it is no JSON object';
  const before = text.slice(0, first.offset).split('\n');
  const what = printParseErrorCode(first.error).replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return `it is not valid JSON, even with comments: line ${before.length}, column ${(before.at(-1) ?? '').length + 1} (${what.toLowerCase()})`;
};

/** Null for text that is not valid, or no object. */
const objectIn = (text: string): Node | null => {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  return errors.length === 0 && root?.type === 'object' ? root : null;
};

/** The values under this name; a file may hold it more than once. */
const membersNamed = ({ children = [] }: Node, name: string): Node[] =>
  children.flatMap(({ children: [key, value] = [] }) =>
    key?.value === name && value !== undefined ? [value] : [],
  );

const textOf = (text: string, { offset, length }: Node): string => text.slice(offset, offset + length);

/** How the file is laid out where the object opens. */
const layoutOf = (text: string, { offset }: Node) => ({
  unit: /\n([ \t]+)"/.exec(text)?.[1] ?? '  ',
  newline: text.includes('\r\n') ? '\r\n' : '\n',
  outer: /^\s*/.exec(text.slice(text.lastIndexOf('\n', offset) + 1, offset))?.[0] ?? '',
});

const printed = (text: string, object: Node, value: unknown): string => {
  const { unit, newline, outer } = layoutOf(text, object);
  return JSON.stringify(value, null, unit).replaceAll('\n', `${newline}${outer}${unit}`);
};

const replace = (text: string, { offset, length }: Node, content: string): string =>
  applyEdits(text, [{ offset, length, content }]);

/** Adds a last member. A comment beside the former last one stays beside it; a trailing comma gets its like. */
const add = (text: string, object: Node, name: string, value: unknown): string => {
  const { unit, newline, outer } = layoutOf(text, object);
  const member = `${newline}${outer}${unit}${JSON.stringify(name)}: ${printed(text, object, value)}`;
  const close = object.offset + object.length - 1;
  const last = object.children?.at(-1);
  const from = last === undefined ? object.offset + 1 : last.offset + last.length;
  const { commas, comments } = between(text, from, close);
  if (last === undefined) {
    const offset = comments.at(-1)?.end ?? from;
    const content = `${member}${newline}${outer}`;
    return applyEdits(text, [{ offset, length: close - offset, content }]);
  }
  const [comma] = commas;
  let offset = comma === undefined ? from : comma + 1;
  for (const { start, end } of comments)
    if (start >= offset && !text.slice(offset, start).includes('\n')) offset = end;
  const edits: TextEdit[] = [{ offset, length: 0, content: comma === undefined ? member : `${member},` }];
  if (comma === undefined) edits.unshift({ offset: from, length: 0, content: ',' });
  return applyEdits(text, edits);
};

const between = (text: string, from: number, to: number) => {
  const isWithin = (offset: number): boolean => offset >= from && offset < to;
  const commas: number[] = [];
  const comments: { start: number; end: number }[] = [];
  visit(
    text,
    {
      onSeparator: (_, offset) => void (isWithin(offset) && commas.push(offset)),
      onComment: (start, length) => void (isWithin(start) && comments.push({ start, end: start + length })),
    },
    { allowTrailingComma: true },
  );
  return { commas, comments };
};
