// Makes untrusted text fit for a notice, which mail programs, chats and phones show each in their own way.

/** Characters that show nothing, but could disguise an address or a code. */
const invisible = /[\p{Cf}\p{Co}\p{Cs}]/gu;
const breaks = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;
/** Longer than a word: an address, an id or a key. */
const long = /[\w+/=-]{25,}/g;
const scheme = /\bhttps?:\/\//gi;
const numericHost = /\b\d{1,3}(?:\.\d{1,3}){3}\b/g;
/** Characters from which programs make links and mentions. Amounts, times and the ends of sentences stay. */
const linking = /[/\\@\u3002]+|\.(?=\p{L})|(?<=\p{L})\.(?=\S)|(?<!\d):(?=\S)|:(?=[^\s\d])/gu;
const markup = /[*`~[\]{}|#^]+|(?<!\w)_+|_+(?!\w)/g;

/**
 * One line of at most `most` characters, without control characters, links and markup. What is as long as an address or
 * a key is cut to its first and last four characters.
 */
export const plainLine = (text: string, most = 140): string => {
  const line = text
    .normalize('NFKC')
    .replaceAll(invisible, '')
    .replaceAll(scheme, '')
    .replaceAll(long, (run) => `${run.slice(0, 4)}…${run.slice(-4)}`)
    .replaceAll(numericHost, (host) => host.replaceAll('.', ' '))
    .replaceAll(linking, ' ')
    .replaceAll(markup, ' ')
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replaceAll(breaks, ' ')
    .trim();
  const letters = [...line];
  return letters.length <= most ? line : `${letters.slice(0, most - 1).join('')}…`;
};
