// Positions of values in valid JSON, so that one entry can be changed and the rest stays as it was written: JSON.parse
// and JSON.stringify would round large numbers, reorder numeric keys and lose the layout.

export interface Member {
  key: string;
  /** Offsets of its value in the text. */
  start: number;
  end: number;
}

const endOfSpace = (text: string, from: number): number => {
  let at = from;
  while (/\s/.test(text.charAt(at))) at += 1;
  return at;
};

const endOfString = (text: string, quote: number): number => {
  let at = quote + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
};

const endOfValue = (text: string, start: number): number => {
  if (text[start] === '"') return endOfString(text, start);
  if (text[start] !== '{' && text[start] !== '[') {
    let at = start;
    while (at < text.length && !/[\s,\]}]/.test(text.charAt(at))) at += 1;
    return at;
  }
  let depth = 0;
  for (let at = start; ;) {
    const char = text.charAt(at);
    if (char === '{' || char === '[') depth += 1;
    if (char === '}' || char === ']') depth -= 1;
    at = char === '"' ? endOfString(text, at) : at + 1;
    if (depth === 0) return at;
  }
};

/** The members of the object that opens at `open`. */
export const membersOf = (text: string, open: number): Member[] => {
  const members: Member[] = [];
  let at = endOfSpace(text, open + 1);
  while (text[at] === '"') {
    const endOfKey = endOfString(text, at);
    const start = endOfSpace(text, endOfSpace(text, endOfKey) + 1);
    const end = endOfValue(text, start);
    members.push({ key: String(JSON.parse(text.slice(at, endOfKey))), start, end });
    const next = endOfSpace(text, end);
    at = text[next] === ',' ? endOfSpace(text, next + 1) : next;
  }
  return members;
};

export const startOf = (text: string): number => endOfSpace(text, 0);

/** The value at a path of keys; the last of duplicate keys counts, as for JSON.parse. */
export const valueAt = (text: string, path: readonly string[]): Omit<Member, 'key'> | null => {
  let found: Omit<Member, 'key'> = { start: startOf(text), end: text.length };
  for (const name of path) {
    if (text[found.start] !== '{') return null;
    const member = membersOf(text, found.start).findLast(({ key }) => key === name);
    if (member === undefined) return null;
    found = member;
  }
  return found;
};

/** The file's indentation and line ending. */
export const unitOf = (text: string): { unit: string; newline: string } => ({
  unit: /\n([ \t]+)"/.exec(text)?.[1] ?? '  ',
  newline: text.includes('\r\n') ? '\r\n' : '\n',
});
