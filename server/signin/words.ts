// Makes untrusted text fit to be shown: a machine's own name, a server's answer.

/** All but RFC 3986's reserved and unreserved characters and the space: a sign-in statement may hold no others. */
const notInStatement = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;= ]+/g;

/** A machine's name on one line, in the characters that EIP-4361, and so Sign In With Solana, allows in a statement. */
export const machineInStatement = (machine: string): string => machine.replaceAll(notInStatement, '?');

/** Also without the characters from which mail programs make links: an asker could choose where they lead. */
export const machineInMail = (machine: string): string =>
  machineInStatement(machine).replaceAll(/[.:/@]+/g, ' ');

/** At most 200 characters on one line. */
export const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, 200);

/** An error's message with its causes, on one line and without the texts in `hidden`. */
export const reasonOf = (error: unknown, hidden: readonly string[] = []): string => {
  const words: string[] = [];
  for (let one = error; one instanceof Error && words.length < 4; one = one.cause) {
    const word = one.message === '' ? codeOf(one) : one.message;
    if (word !== undefined && !words.includes(word)) words.push(word);
  }
  const text = hidden.reduce((rest, one) => rest.replaceAll(one, '[hidden]'), words.join(': '));
  return oneLine(text) || 'unknown reason';
};

/** An error's code, which contains nothing of what was sent. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
