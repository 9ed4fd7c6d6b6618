// Replaces a range of a text's lines.

export interface Range {
  start: number;
  /** Exclusive. */
  end: number;
}

export const linesOf = (text: string): string[] => text.split(/\r?\n/);

/** Replaces these lines with a block, or appends it when there is no range; line endings are kept. */
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
