// Makes untrusted text harmless for the system's own surfaces: some interpret markup, and none wraps long text.
const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu;

/** Without control characters, direction marks and markup; on one line, cut to `most` characters. */
export const inert = (text: string, most = 80): string => {
  const line = text
    .replace(hidden, ' ')
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replace(/\s+/g, ' ')
    .trim();
  const letters = [...line];
  return letters.length <= most ? line : `${letters.slice(0, most - 1).join('')}…`;
};
