// Replaces a range of a text's lines.

export interface Range {
  start: number;
  /** Exclusive. */
  end: number;
}

export const linesOf = (text: string): string[] => text.split(/\r?\n/);

/** These lines as they are, without the last one's ending. */
export const textOfLines = (text: string, range: Range): string => {
  const { from, to } = offsetsOf(text, range);
  return text.slice(from, to);
};

/** Replaces these lines with a text as it is, whose last line gets the ending of theirs. */
export const putLines = (text: string, range: Range, exact: string): string => {
  const { from, to } = offsetsOf(text, range);
  return text.slice(0, from) + exact + text.slice(to);
};

/** Replaces these lines with a block, or appends it when there is no range; every other line keeps its ending. */
export const replaceLines = (text: string, range: Range | null, block: string): string => {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const written = block.replaceAll('\n', newline);
  if (range === null)
    return (text.trim() === '' ? '' : text.trimEnd() + newline + newline) + written + newline;
  if (range.start < range.end) return putLines(text, range, written);
  const whole = text === '' || text.endsWith('\n') ? text : text + newline;
  return putLines(whole, range, written + newline);
};

const offsetsOf = (text: string, { start, end }: Range): { from: number; to: number } => {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const from = lines.slice(0, start).join('').length;
  const inside = lines.slice(start, end).join('');
  return { from, to: from + inside.replace(/\r?\n$/, '').length };
};
