// Text that others wrote, made harmless for the system's own surfaces: some read markup, and none wrap long text.
const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu;

/** Without control and direction characters and without markup, in one line, cut. */
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
