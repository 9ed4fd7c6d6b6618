// The log of one transaction, cut where a node cuts it.

export interface LogLines {
  readonly lines: readonly string[];
  add(line: string): void;
}

const mostBytes = 10_000;

/** A line that no longer fits is left out, and a shorter one after it is not. */
export const createLogLines = (): LogLines => {
  const lines: string[] = [];
  let bytes = 0;
  let isCut = false;
  return {
    lines,
    add: (line) => {
      const after = bytes + Buffer.byteLength(line);
      if (after < mostBytes) {
        bytes = after;
        lines.push(line);
      } else if (!isCut) {
        isCut = true;
        lines.push('Log truncated');
      }
    },
  };
};
