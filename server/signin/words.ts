// Words of others, made fit to be shown: a machine's own name, what a server answered.

/** What RFC 3986 reserves or leaves free, and the space: all that the statement of a sign-in message may hold. */
const notInStatement = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;= ]+/g;

/** A machine's name on one line, of the characters that EIP-4361, and so Sign In With Solana, admits in a statement. */
export const machineInStatement = (machine: string): string => machine.replaceAll(notInStatement, '?');

/** The same, without what a mail program would make a link of: whoever asks could have it lead anywhere. */
export const machineInMail = (machine: string): string =>
  machineInStatement(machine).replaceAll(/[.:/@]+/g, ' ');

/** At most 200 characters on one line. */
export const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, 200);

/** What went wrong, with what was behind it, on one line and without what has to be hidden. */
export const reasonOf = (error: unknown, hidden: readonly string[] = []): string => {
  const words: string[] = [];
  for (let one = error; one instanceof Error && words.length < 4; one = one.cause) {
    const word = one.message === '' ? codeOf(one) : one.message;
    if (word !== undefined && !words.includes(word)) words.push(word);
  }
  const text = hidden.reduce((rest, one) => rest.replaceAll(one, '[hidden]'), words.join(': '));
  return oneLine(text) || 'unknown reason';
};

/** An error's code, which holds nothing of what was sent. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
