// A text as lines, of which some are replaced.

export interface Range {
  start: number;
  /** The first line that is not part of it. */
  end: number;
}

export const linesOf = (text: string): string[] => text.split(/\r?\n/);

/** Puts a block in the place of these lines, or behind everything. Line endings stay what they are. */
export const replaceLines = (text: string, range: Range | null, block: string): string => {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const written = block.split('\n');
  if (range !== null) {
    const lines = linesOf(text).toSpliced(range.start, range.end - range.start, ...written);
    return (lines.at(-1) === '' ? lines : [...lines, '']).join(newline);
  }
  const before = text.trim() === '' ? [] : [...linesOf(text.trimEnd()), ''];
  return [...before, ...written, ''].join(newline);
};
