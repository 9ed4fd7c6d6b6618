// Where the command runs: what it writes to, whom it can ask, and what every subcommand is given.

export interface Io {
  out(text: string | Uint8Array): void;
  err(text: string): void;
  /** Asks the person at the terminal; null where there is none. */
  ask: ((question: string, options: { isSecret: boolean }) => Promise<string>) | null;
  /** Opens an address in the person's browser; null where there is none. It may fail unnoticed. */
  browse: ((url: string) => void) | null;
  /** Whether the output may be coloured. */
  colour: boolean;
  env: NodeJS.ProcessEnv;
  home: string;
  platform: NodeJS.Platform;
}

/** What every subcommand is given. */
export interface Terminal {
  dataDir: string;
  /** Machine-readable output is wanted. */
  json: boolean;
  io: Io;
  /** A line of the result. */
  print(line: string): void;
  /** A line beside the result. */
  note(line: string): void;
}

export const createTerminal = (io: Io, { data, json }: { data: string; json: boolean }): Terminal => ({
  dataDir: data,
  json,
  io,
  print: (line) => io.out(`${line}\n`),
  note: (line) => io.err(`${line}\n`),
});

/** What a terminal would obey, or what changes the order in which text is read; plain JSON escapes a part of it alone. */
const obeyed = /[\u007f-\u009f\p{Cf}\u2028\u2029]/gu;

/** One line that means the same when it is parsed, and that no terminal can be led astray by. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replaceAll(obeyed, (found) =>
    [...Array(found.length).keys()]
      .map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );

/** The result: as one JSON document, or as these lines. */
export const show = ({ json, print }: Terminal, value: unknown, lines: () => readonly string[]): void => {
  if (json) print(jsonText(value));
  else for (const line of lines()) print(line);
};
