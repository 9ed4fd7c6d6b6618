// The command's surroundings: its output, its prompts, and what every subcommand is given.

export interface Io {
  out(text: string | Uint8Array): void;
  err(text: string): void;
  /** Asks the person at the terminal; null without one. */
  ask: ((question: string, options: { isSecret: boolean }) => Promise<string>) | null;
  /** Opens a URL in the user's browser; null without one. Failures are silent. */
  browse: ((url: string) => void) | null;
  color: boolean;
  /** The width of the terminal; absent where the output is none. */
  columns?: number | undefined;
  env: NodeJS.ProcessEnv;
  home: string;
  platform: NodeJS.Platform;
}

export interface Terminal {
  dataDir: string;
  /** Print JSON. */
  json: boolean;
  io: Io;
  /** Prints a line of the result. */
  print(line: string): void;
  /** Prints a line that is not part of the result, on standard error; with --json as `{"note"}`. */
  note(line: string): void;
}

export const createTerminal = (io: Io, { data, json }: { data: string; json: boolean }): Terminal => ({
  dataDir: data,
  json,
  io,
  print: (line) => io.out(`${line}\n`),
  note: (line) => io.err(`${json ? jsonText({ note: line }) : line}\n`),
});

/** How lines are said before a question: with --json they are no part of the result. */
export const sayOf = ({ json, note, print }: Terminal): ((line: string) => void) => (json ? note : print);

/** Characters that a terminal obeys or that reorder text; JSON.stringify escapes only some of them. */
const obeyed = /[\u007f-\u009f\p{Cf}\u2028\u2029]/gu;

/** JSON on one line, with such characters escaped too; it parses to the same value. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replaceAll(obeyed, (found) =>
    [...Array(found.length).keys()]
      .map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );

/** Prints the result: as one JSON document, or as these lines. */
export const show = ({ json, print }: Terminal, value: unknown, lines: () => readonly string[]): void => {
  if (json) print(jsonText(value));
  else for (const line of lines()) print(line);
};
