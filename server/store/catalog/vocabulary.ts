// Every word of the catalog, and the words that are nearest to one that it lacks.
import type { Db } from '../db.ts';
import { mapper } from '../row.ts';
import { quote } from './search-words.ts';

/** Every word of the catalog and its letters, read on first use. A word that has left the catalog finds nothing. */
export const createVocabulary = (db: Db) => {
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

const toWord = mapper('service_word', (row) => row.text('word'));
