// Finds services by words as people type them: partial, misspelled by a letter, or in no entry at all. FTS5 ranks by bm25;
// a word that the catalog lacks is replaced by the nearest words that it has.
import type { Service, ServiceQuery } from '../../engine/ports.ts';
import type { Db } from '../db.ts';
import { mapper } from '../row.ts';
import { createVocabulary } from './vocabulary.ts';
import { wordsOf, sortName, apart, wordsAsked, quote, anyForm } from './search-words.ts';

export interface SearchIndex {
  /** Indexes the service under this number, in place of what was there. */
  write(number: number, service: Service): void;
  erase(number: number): void;
  /** Numbers of the best matches, and how many match, counted to 1,000. Without a letter or digit nothing matches. */
  find(query: ServiceQuery): { numbers: number[]; total: number };
}

const counted = 1_000;

/** Matches that are ranked against each other; of more, those with the words in their names come first. */
export const rankedAtMost = 500;

const correctedAtMost = 3;

/** Of very common words, only the rarest count. */
const commonAtMost = 3;

/** How much the best reputation can outweigh the worst: enough to order entries of about the same relevance. */
const nudge = 0.05;

const weights = '10, 10, 5, 2, 1';

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
      if (all !== null && count(all) > rankedAtMost) rank(`{id name} : (${all})`);
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
      WHERE service_search MATCH ? LIMIT ${rankedAtMost}
    ) JOIN service_facts USING (number)
    ORDER BY vanished, score * (1 + ${nudge} * standing), sort_name, service_id LIMIT ?`),
});

/** An FTS5 expression for a word; empty when nothing is like it. */
type Term = { match: string; isRare: boolean };

const toCount = mapper('service_search', (row) => row.integer('n'));

const toNumber = mapper('service_facts', (row) => row.integer('number'));
