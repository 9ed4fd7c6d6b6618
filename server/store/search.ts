// Finds services by words as people type them: partial, misspelt, or in no entry at all. FTS5 ranks by bm25; a word
// that the catalog lacks is replaced by the nearest words that it has.
import type { Service, ServiceQuery } from '../engine/ports.ts';
import type { Db } from './db.ts';
import { mapper } from './row.ts';

export interface SearchIndex {
  /** Indexes the service under this number, in place of what was there. */
  write(number: number, service: Service): void;
  erase(number: number): void;
  /** Numbers of the best matches, and how many match, counted to 1,000. Without a letter or digit nothing matches. */
  find(query: ServiceQuery): { numbers: number[]; total: number };
}

const counted = 1_000;
/** Matches that are ranked against each other; of more, those with the words in their names come first. */
const ranked = 500;
const wordsAtMost = 6;
const correctedAtMost = 3;
/** Of very common words, only the rarest count. */
const commonAtMost = 3;
/** How much the best reputation can outweigh the worst: enough to order entries of about the same relevance. */
const nudge = 0.05;
const weights = '10, 10, 5, 2, 1';

/** Words that say nothing about a service. They count only when there are no others. */
const fillers = new Set(
  'a an and api apis at by for from get i in is me my need of on or the to with'.split(' '),
);

/** Marks a source in the index: FTS5 takes it for a letter, and no word of a query holds it. */
const sourceMark = '\u{E000}';
const sourceWord = (source: Service['source']): string => sourceMark + source.replaceAll('-', '');

export const createSearchIndex = (db: Db): SearchIndex => {
  const { insert, remove, countUpTo, countAll, named, best } = statementsOf(db);
  const vocabulary = createVocabulary(db);

  const count = (match: string): number => toCount(countUpTo.get(match));

  /** Replacements for a word that no entry has. One that is much rarer than the others was not meant. */
  const corrected = (word: string): string => {
    const near = vocabulary.near(word).map((match) => ({ match, count: count(match) }));
    const most = Math.max(...near.map((one) => one.count));
    return near.flatMap((one) => (one.count > 0 && one.count >= most / 4 ? one.match : [])).join(' OR ');
  };

  /** Very common words and their counts, until the next write. */
  const common = new Map<string, number>();
  const isCommon = (word: string): boolean => {
    if (!common.has(word) && count(quote(word)) === counted)
      common.set(word, toCount(countAll.get(quote(word))));
    return common.has(word);
  };

  const termsOf = (words: readonly string[]): Term[] => {
    const [many, few] = [words.filter(isCommon), words.filter((word) => !isCommon(word))];
    let corrections = 0;
    const rare = few.map((word) => {
      const match = anyForm(word);
      if (count(match) > 0) return { match, isRare: true };
      corrections += 1;
      return { match: corrections > correctedAtMost ? '' : corrected(word), isRare: true };
    });
    const rarest = many.toSorted((a, b) => (common.get(a) ?? 0) - (common.get(b) ?? 0));
    // A common word is found well enough as it stands, and its other forms cost the most.
    return [...rare, ...rarest.slice(0, commonAtMost).map((word) => ({ match: quote(word), isRare: false }))];
  };

  return {
    write(number, service) {
      const { id, name, category, description, endpoint, origin, source } = service;
      const place = `${origin.replace(/^https?:/, '')} ${endpoint}`;
      const columns = [apart(id), apart(name), category, description, place].map(wordsOf);
      common.clear();
      vocabulary.add(columns.flat());
      remove.run(number);
      columns[0]?.push(sourceWord(source));
      insert.run(number, ...columns.map((words) => words.join(' ')));
    },
    erase: (number) => void remove.run(number),
    find({ text: asked, source, limit }) {
      const terms = termsOf(wordsAsked(asked));
      const usable = terms.filter(({ match }) => match !== '');
      if (usable.length === 0) return { numbers: [], total: 0 };
      const join = (by: 'AND' | 'OR', of: readonly Term[]): string => {
        const match = of.map((term) => `(${term.match})`).join(` ${by} `);
        return source === undefined ? match : `(${match}) AND ${quote(sourceWord(source))}`;
      };

      const rows = named.all({ exact: asked.trim(), name: sortName(asked), source: source ?? null, limit });
      const numbers = new Set(rows.map(toNumber));
      const rank = (match: string): void => {
        if (numbers.size >= limit) return;
        for (const number of best.all(match, limit).map(toNumber)) numbers.add(number);
      };
      const all = usable.length === terms.length ? join('AND', usable) : null;
      if (all !== null && count(all) > ranked) rank(`{id name} : (${all})`);
      if (all !== null) rank(all);
      // When only some words match, the rare ones matter.
      const rare = usable.filter(({ isRare }) => isRare);
      const some = join('OR', rare.length > 0 ? rare : usable);
      if (terms.length > 1) rank(some);
      return { numbers: [...numbers].slice(0, limit), total: Math.max(count(some), numbers.size) };
    },
  };
};

const statementsOf = (db: Db) => ({
  insert: db.prepare(
    'INSERT INTO service_search (rowid, id, name, category, description, place) VALUES (?, ?, ?, ?, ?, ?)',
  ),
  remove: db.prepare('DELETE FROM service_search WHERE rowid = ?'),
  countUpTo: db.prepare(/* sql */ `
    SELECT count(*) AS n FROM (SELECT 1 FROM service_search WHERE service_search MATCH ? LIMIT ${counted})`),
  countAll: db.prepare('SELECT count(*) AS n FROM service_search WHERE service_search MATCH ?'),
  named: db.prepare(/* sql */ `
    SELECT number FROM service_facts WHERE listed = 1 AND source = coalesce(@source, source)
      AND number IN (SELECT number FROM service_facts WHERE service_id = @exact
        UNION SELECT number FROM service_facts WHERE sort_name = @name)
    ORDER BY vanished, standing DESC, service_id LIMIT @limit`),
  best: db.prepare(/* sql */ `
    SELECT number FROM (
      SELECT rowid AS number, bm25(service_search, ${weights}) AS score FROM service_search
      WHERE service_search MATCH ? LIMIT ${ranked}
    ) JOIN service_facts USING (number)
    ORDER BY vanished, score * (1 + ${nudge} * standing), sort_name, service_id LIMIT ?`),
});

/** An FTS5 expression for a word; empty when nothing is like it. */
type Term = { match: string; isRare: boolean };

/** Lower case, without accents or apostrophes. */
const fold = (given: string): string => given.toLowerCase().normalize('NFKD').replaceAll(ignored, '');
const ignored = /[\p{M}'’]+/gu;
const wordsOf = (given: string): string[] => fold(given).match(/[\p{L}\p{N}]+/gu) ?? [];

/** A name in the form that is compared. */
export const sortName = (name: string): string => wordsOf(name).join(' ');

/** Lets OpenWeatherMap be found as itself and by its parts. */
const apart = (name: string): string => {
  const parts = name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ');
  return parts === name ? name : `${name} ${parts}`;
};

const wordsAsked = (asked: string): string[] => {
  const all = [...new Set(wordsOf(asked))];
  const telling = all.filter((word) => !fillers.has(word));
  return (telling.length === 0 ? all : telling).slice(0, wordsAtMost);
};

/** An FTS5 string, never its syntax. */
const quote = (word: string): string => `"${word.replaceAll('"', '""')}"`;

/** The word (counts most), longer words, and its other forms: scraper finds scraping, prices finds price. */
const anyForm = (word: string): string => {
  const forms = [quote(word), `${quote(word)} *`];
  const stem = /^(.{5,}?)(?:ations?|ions?|ing|ers?|ors?|ed|es?|s)$/u.exec(word)?.[1];
  const singular = /^(.{2,}[^s])s$/u.exec(word)?.[1];
  if (stem !== undefined) forms.push(`${quote(stem)} *`);
  else if (singular !== undefined) forms.push(quote(singular));
  return forms.join(' OR ');
};

/** Every word of the catalog and its letters, read on first use. A word that has left the catalog finds nothing. */
const createVocabulary = (db: Db) => {
  const insert = db.prepare('INSERT OR IGNORE INTO service_word (word) SELECT value FROM json_each(?)');
  const all = db.prepare('SELECT word FROM service_word');
  let known: Map<string, number> | null = null;

  return {
    add(words: readonly string[]): void {
      const correctable = words.filter((word) => /^\D{3,24}$/.test(word));
      insert.run(JSON.stringify(correctable));
      if (known !== null) for (const word of correctable) known.set(word, lettersOf(word));
    },
    /** FTS5 expressions for what a word that the catalog lacks may mean. */
    near(word: string): string[] {
      known ??= new Map(
        all
          .all()
          .map(toWord)
          .map((one) => [one, lettersOf(one)]),
      );
      return [...inTwo(word, known), ...nearest(word, known).map(quote)];
    },
  };
};

/** Two words typed as one. */
const inTwo = (word: string, known: ReadonlyMap<string, number>): string[] => {
  for (let at = 3; at <= word.length - 3; at += 1) {
    const [left, right] = [word.slice(0, at), word.slice(at)];
    if (known.has(left) && known.has(right)) return [`(${quote(left)} AND ${quote(right)})`];
  }
  return [];
};

const infinite = Number.POSITIVE_INFINITY;

/** Up to eight words that need the fewest edits, shortest first. */
const nearest = (asked: string, known: ReadonlyMap<string, number>): string[] => {
  const edits = asked.length < 3 || asked.length > 24 ? 0 : asked.length < 8 ? 1 : 2;
  const lettersAsked = lettersOf(asked);
  const isPart = asked.length > 3 || /[^a-z0-9]/.test(asked);
  let [least, found]: [number, string[]] = [2 * edits + 3, []];
  for (const [word, letters] of known) {
    const missing = bits(lettersAsked & ~letters);
    if (missing > edits || word.length < asked.length - edits) continue;
    const contains = isPart && missing === 0 && word.includes(asked);
    // Mistyped words nearly always begin right.
    if (!contains && !beginsAlike(asked, word)) continue;
    const cost = contains ? 1 : costOf({ asked, word }, 0, 0, edits) + (asked[0] === word[0] ? 0 : 1);
    if (cost < least) [least, found] = [cost, []];
    if (cost === least) found.push(word);
  }
  return found.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1)).slice(0, 8);
};

/** One error may be in the first two letters; with two it is another word. */
const beginsAlike = (a: string, b: string): boolean =>
  a[0] === b[0] || a[0] === b[1] || a[1] === b[0] || a[1] === b[1];

interface Pair {
  asked: string;
  word: string;
}

/**
 * The cost of what follows these places: two for each letter missed, doubled, mistaken or swapped with its neighbour;
 * one when only the beginning of the word was typed. Infinite above `edits`.
 */
const costOf = (pair: Pair, from: number, to: number, edits: number): number => {
  const { asked, word } = pair;
  let [i, j] = [from, to];
  for (; i < asked.length && asked[i] === word[j]; i += 1) j += 1;
  const rest = word.length - j;
  if (i === asked.length && rest > 0 && asked.length > 3) return 1;
  if (i === asked.length) return rest <= edits ? 2 * rest : infinite;
  if (edits === 0) return infinite;
  const isSwapped = asked[i] === word[j + 1] && asked[i + 1] === word[j];
  const swapped = isSwapped ? 2 + costOf(pair, i + 2, j + 2, edits - 1) : infinite;
  // With three letters, any other edit makes another word.
  if (asked.length === 3) return swapped;
  const mistaken = 2 + costOf(pair, i + 1, j + 1, edits - 1);
  const doubled = 2 + costOf(pair, i + 1, j, edits - 1);
  const missed = 2 + costOf(pair, i, j + 1, edits - 1);
  return Math.min(swapped, mistaken, doubled, missed);
};

/** A bit for each letter of the word; some letters share one. */
const lettersOf = (word: string): number => {
  let letters = 0;
  for (let at = 0; at < word.length; at += 1) letters |= 1 << (word.charCodeAt(at) % 31);
  return letters;
};

const bits = (given: number): number => {
  let count = 0;
  for (let left = given; left !== 0; left &= left - 1) count += 1;
  return count;
};

const toCount = mapper('service_search', (row) => row.integer('n'));
const toNumber = mapper('service_facts', (row) => row.integer('number'));
const toWord = mapper('service_word', (row) => row.text('word'));
