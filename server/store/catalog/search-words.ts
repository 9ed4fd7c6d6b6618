// Words as the search index compares them, and the FTS5 expressions that find them.

const wordsAtMost = 6;

/** Words that say nothing about a service. They count only when there are no others. */
const fillers = new Set(
  'a an and api apis at by for from get i in is me my need of on or the to with'.split(' '),
);

/** Lower case, without accents or apostrophes. */
const fold = (given: string): string => given.toLowerCase().normalize('NFKD').replaceAll(ignored, '');

const ignored = /[\p{M}'’]+/gu;

export const wordsOf = (given: string): string[] => fold(given).match(/[\p{L}\p{N}]+/gu) ?? [];

/** A name in the form that is compared. */
export const sortName = (name: string): string => wordsOf(name).join(' ');

/** Lets OpenWeatherMap be found as itself and by its parts. */
export const apart = (name: string): string => {
  const parts = name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ');
  return parts === name ? name : `${name} ${parts}`;
};

export const wordsAsked = (asked: string): string[] => {
  const all = [...new Set(wordsOf(asked))];
  const telling = all.filter((word) => !fillers.has(word));
  return (telling.length === 0 ? all : telling).slice(0, wordsAtMost);
};

/** An FTS5 string, never its syntax. */
export const quote = (word: string): string => `"${word.replaceAll('"', '""')}"`;

/** The word (counts most), longer words, and its other forms: scraper finds scraping, prices finds price. */
export const anyForm = (word: string): string => {
  const forms = [quote(word), `${quote(word)} *`];
  const stem = /^(.{5,}?)(?:ations?|ions?|ing|ers?|ors?|ed|es?|s)$/u.exec(word)?.[1];
  const singular = /^(.{2,}[^s])s$/u.exec(word)?.[1];
  if (stem !== undefined) forms.push(`${quote(stem)} *`);
  else if (singular !== undefined) forms.push(quote(singular));
  // Capitals and the Swiss write ss for ß.
  if (word.includes('ss')) forms.push(quote(word.replaceAll('ss', 'ß')));
  return forms.join(' OR ');
};
