// Replaces a range of a text's lines.

export interface Range {
  start: number;
  /** Exclusive. */
  end: number;
}

export const linesOf = (text: string): string[] => text.split(/\r?\n/);

/** Replaces these lines with a block, or appends it when there is no range; every other line keeps its ending. */
export const replaceLines = (text: string, range: Range | null, block: string): string => {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const written = block.split('\n').map((line) => line + newline);
  if (range === null)
    return (text.trim() === '' ? '' : text.trimEnd() + newline + newline) + written.join('');
  const whole = text === '' || text.endsWith('\n') ? text : text + newline;
  const lines = whole.match(/[^\n]*\n/g) ?? [];
  return lines.toSpliced(range.start, range.end - range.start, ...written).join('');
};
