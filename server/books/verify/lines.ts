// The lines of a file, byte for byte, a chunk at a time.

export interface Line {
  /** Without its line break. */
  text: string;
  /** Why the text does not stand for its bytes, as the end of a sentence that begins with the line; null: it does. */
  fault: string | null;
}

/** A longer line is no line of a statement; it is not kept. */
const mostBytes = 64 * 1024;
const lineBreak = 0x0a;

/** Every byte of the file is in one of the lines; one without a line break at its end is a fault. */
export async function* linesOf(file: AsyncIterable<Uint8Array>): AsyncIterable<Line[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let rest = Buffer.alloc(0);
  let isTooLong = false;
  const lineOf = (bytes: Buffer): Line => {
    if (isTooLong || bytes.length > mostBytes) return { text: '', fault: 'is too long' };
    try {
      return { text: decoder.decode(bytes), fault: null };
    } catch {
      return { text: '', fault: 'is not UTF-8' };
    }
  };
  for await (const piece of file) {
    const bytes = Buffer.concat([rest, piece]);
    const lines: Line[] = [];
    let from = 0;
    for (let at = bytes.indexOf(lineBreak); at >= 0; at = bytes.indexOf(lineBreak, from)) {
      lines.push(lineOf(bytes.subarray(from, at)));
      isTooLong = false;
      from = at + 1;
    }
    rest = bytes.subarray(from);
    if (rest.length > mostBytes) {
      isTooLong = true;
      rest = Buffer.alloc(0);
    }
    yield lines;
  }
  if (rest.length > 0 || isTooLong) yield [{ ...lineOf(rest), fault: 'has no line break at its end' }];
}
