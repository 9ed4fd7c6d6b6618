// Goose's config.yaml: only one entry below `extensions:` is written, and every other line stays.
import { isDeepStrictEqual } from 'node:util';
import {
  Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  Scalar,
  visit,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import { memberOf, membersOf, type Format, type Refused, type Values } from './format.ts';
import { putLines, replaceLines, textOfLines, type Range } from './lines.ts';

/** A command's words and variables are quoted, so that none reads as a number or a truth value. */
const isQuoted = /^(?:cmd|args|envs)$/;

const block = (name: string, values: Values, indent: string): string => {
  const written = new Document({ [name]: values });
  visit(written, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || !isQuoted.test(String(key.value))) return;
      visit(isPair(value) ? null : (value as Node | null), {
        Scalar(at, scalar) {
          if (at !== 'key') scalar.type = Scalar.QUOTE_DOUBLE;
        },
      });
    },
    Seq(_, list) {
      list.flow = true;
    },
  });
  return written
    .toString({ lineWidth: 0, flowCollectionPadding: false })
    .trimEnd()
    .replaceAll(/^(?=.)/gm, indent);
};

const section = 'extensions';
const otherForm = { refused: `its ${section} are written in another form` };

interface Place {
  /** The lines of the entry, or an empty range where it goes; null for a file without the section. */
  range: Range | null;
  isKnown: boolean;
  indent: number;
}

const placeOf = (text: string, name: string): Place | Refused => {
  const { errors, contents } = parseDocument(text);
  const [error] = errors;
  if (error !== undefined) {
    const [{ line, col } = { line: 1, col: 1 }] = error.linePos ?? [];
    return { refused: `it is not valid YAML, or more than one document: line ${line}, column ${col}` };
  }
  if (contents === null) return { range: null, isKnown: false, indent: 2 };
  if (!isBlockMap(contents)) return { refused: 'it is not written as names and values, one to a line' };
  const found = pairOf(contents, section);
  if (found === undefined) return { range: null, isKnown: false, indent: 2 };
  const { key, value } = found;
  if (isScalar(value) && value.value === null && !value.source) {
    const { end } = linesFrom(text, key, key);
    return { range: { start: end, end }, isKnown: false, indent: 2 };
  }
  if (!isBlockMap(value)) return otherForm;
  const [first] = value.items;
  const { start } = linesFrom(text, value, value);
  const indent = first === undefined ? 2 : columnOf(text, startOf(value));
  const own = pairOf(value, name);
  if (own !== undefined)
    return { range: linesFrom(text, own.key, own.value ?? own.key), isKnown: true, indent };
  const { end } = linesFrom(text, value, value);
  return start > end ? otherForm : { range: { start: end, end }, isKnown: false, indent };
};

interface Found {
  key: Node;
  value: Node | null;
}
const pairOf = ({ items }: YAMLMap, name: string): Found | undefined => {
  const pair: Pair | undefined = items.find(({ key }) => isScalar(key) && key.value === name);
  if (pair === undefined || !isNode(pair.key)) return undefined;
  return { key: pair.key, value: isNode(pair.value) ? pair.value : null };
};

const isBlockMap = (node: unknown): node is YAMLMap => isMap(node) && node.flow !== true;

const startOf = (node: Node): number => node.range?.[0] ?? 0;
/** Where its last value ends, without the comments and empty lines behind it. */
const endOf = (node: Node): number => {
  const last = isMap(node) || isSeq(node) ? node.items.at(-1) : undefined;
  const inside =
    last !== undefined && 'key' in (last as object) ? ((last as Pair).value ?? (last as Pair).key) : last;
  const isFlow = (isMap(node) || isSeq(node)) && node.flow === true;
  return isNode(inside) && !isFlow ? endOf(inside) : (node.range?.[1] ?? 0);
};
const columnOf = (text: string, offset: number): number => offset - (text.lastIndexOf('\n', offset - 1) + 1);
const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length - 1;

const linesFrom = (text: string, first: Node, last: Node): Range => {
  const end = endOf(last);
  return {
    start: lineAt(text, startOf(first)),
    end: lineAt(text, text[end - 1] === '\n' ? end - 1 : end) + 1,
  };
};

/** Null for text that is not valid. */
const valuesIn = (text: string): unknown => {
  const document = parseDocument(text);
  try {
    return document.errors.length === 0 ? document.toJS() : null;
  } catch {
    // An alias without its anchor.
    return null;
  }
};

/** The file's values without the entry, and without a section that holds nothing else. */
const others = (values: unknown, name: string): unknown => {
  const { [section]: servers, ...rest } = membersOf(values);
  const { [name]: _, ...theirs } = membersOf(servers);
  return { ...rest, [section]: theirs };
};

/** False when an anchor in the former entry, or the document's end, is in the way. */
const isSafe = (before: string, after: string, name: string): boolean => {
  const [was, is] = [valuesIn(before), valuesIn(after)];
  const isRead = is !== null && !('refused' in placeOf(after, name));
  return isRead && isDeepStrictEqual(others(was, name), others(is, name));
};

const find = (text: string, name: string): string | null => {
  const place = placeOf(text, name);
  if ('refused' in place || !place.isKnown || place.range === null) return null;
  return textOfLines(text, place.range);
};

export const yamlFormat: Format = {
  edit(text, name, values) {
    const place = placeOf(text, name);
    if ('refused' in place) return place;
    const { range, indent } = place;
    const written = block(name, values, ' '.repeat(indent));
    const after = replaceLines(text, range, range === null ? `${section}:\n${written}` : written);
    return isSafe(text, after, name) ? { text: after, before: find(text, name) } : otherForm;
  },
  restore(text, name, entry) {
    const place = placeOf(text, name);
    if ('refused' in place || !place.isKnown || place.range === null) return otherForm;
    const after = putLines(text, place.range, entry);
    return isSafe(text, after, name) && find(after, name) === entry
      ? { text: after, before: find(text, name) }
      : otherForm;
  },
  find,
  entries: (text) => membersOf(memberOf(membersOf(valuesIn(text)), section)),
  whole: (name, values) => `${section}:\n${block(name, values, '  ')}`,
};
