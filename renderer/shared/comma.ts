// An amount that is written as some languages write it: `1,5` for one and a half. Read as a person in England would, it
// is something else, so that the owner is asked.

/** The decimal separator of this browser's language. */
const ownSeparator = (): string =>
  new Intl.NumberFormat().formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';

/** The amount that was probably meant, such as `1.5` for `1,5` and `1500.25` for `1.500,25`; null without a doubt. */
export const probablyMeant = (text: string, separator = ownSeparator()): string | null => {
  if (separator !== ',') return null;
  const [, whole = '', fraction] = /^(\d{1,9}|\d{1,3}(?:[. ’]\d{3})+),(\d{1,9})$/.exec(text.trim()) ?? [];
  return fraction === undefined
    ? null
    : `${whole.replaceAll(/\D/g, '').replace(/^0+(?=\d)/, '')}.${fraction}`;
};
