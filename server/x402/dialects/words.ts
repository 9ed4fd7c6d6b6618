// Makes a seller's untrusted text fit for our own messages.

/** Control, formatting and unassigned characters: some make one text look like another. */
const hidden = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** One line of at most `most` characters, with a mark where it was cut. */
export const inert = (text: string, most = 200): string => {
  const line = text.slice(0, most).replace(hidden, ' ').replace(/\s+/g, ' ').trim();
  return text.length > most ? `${line}…` : line;
};

/** Describes a value of a seller's JSON. */
export const quoted = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return JSON.stringify(inert(value, 60));
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return String(value);
};
