// Lines for a shell, quoted so that it reads each word as it is.

/** A word of a POSIX shell; quoted if it has special characters. */
export const shellWord = (text: string): string =>
  /^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A word of PowerShell. */
const powerWord = (text: string): string =>
  /^[\w./:=%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "''")}'`;

/** @param platform as `about` states it */
export const lineOf = (words: readonly string[], platform: string): string =>
  platform.startsWith('win32') ? `& ${words.map(powerWord).join(' ')}` : words.map(shellWord).join(' ');
