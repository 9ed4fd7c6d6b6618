// Every word of the catalog, and the words that are nearest to one that it lacks.
import type { Db } from '../db.ts';
import { mapper } from '../row.ts';
import { quote } from './search-words.ts';

/** Every word of the catalog, read on first use. A word that has left the catalog finds nothing. */
export const createVocabulary = (db: Db) => {
  const insert = db.prepare('INSERT OR IGNORE INTO service_word (word) SELECT value FROM json_each(?)');
  const all = db.prepare('SELECT word FROM service_word');
  let known: Set<string> | null = null;

  return {
    add(words: readonly string[]): void {
      const correctable = words.filter((word) => /^\D{3,24}$/.test(word));
      insert.run(JSON.stringify(correctable));
      for (const word of correctable) known?.add(word);
    },
    /** FTS5 expressions for what a word that the catalog lacks may mean. */
    near(word: string): string[] {
      known ??= new Set(all.all().map(toWord));
      return [...inTwo(word, known), ...nearest(word, known).map(quote)];
    },
  };
};

/** Two words typed as one. */
const inTwo = (word: string, known: ReadonlySet<string>): string[] => {
  for (let at = 3; at <= word.length - 3; at += 1) {
    const [left, right] = [word.slice(0, at), word.slice(at)];
    if (known.has(left) && known.has(right)) return [`(${quote(left)} AND ${quote(right)})`];
  }
  return [];
};

/** Above every cost. */
const tooMuch = 5;

/** Up to eight words that hold what was typed, or else are one error away from it; shortest first. */
const nearest = (asked: string, known: ReadonlySet<string>): string[] => {
  const isPart = asked.length > 3 || /[^a-z0-9]/.test(asked);
  let [least, found]: [number, string[]] = [tooMuch - 1, []];
  for (const word of known) {
    if (word.length < asked.length - 1) continue;
    const cost = isPart && word.includes(asked) ? 1 : costOf(asked, word);
    if (cost < least) [least, found] = [cost, []];
    if (cost === least) found.push(word);
  }
  return found.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1)).slice(0, 8);
};

/** Mistyped words nearly always begin right: one error may be in the first two letters. */
const beginsAlike = (a: string, b: string): boolean =>
  a[0] === b[0] || a[0] === b[1] || a[1] === b[0] || a[1] === b[1];

/** The cost of one letter missed, doubled, mistaken or swapped with its neighbor; more when it is the first. */
const costOf = (asked: string, word: string): number => {
  if (asked.length < 3 || asked.length > 24 || !beginsAlike(asked, word)) return tooMuch;
  let at = 0;
  while (at < asked.length && asked[at] === word[at]) at += 1;
  // A letter too many at its end.
  if (at === word.length) return 0;
  const isSwapped = asked[at] === word[at + 1] && asked[at + 1] === word[at];
  const swapped = isSwapped ? costAfter(asked, at + 2, word, at + 2) : tooMuch;
  const first = asked[0] === word[0] ? 0 : 1;
  // With three letters, any other error but a missing end makes another word.
  if (asked.length === 3 && at < 3) return swapped + first;
  const mistaken = costAfter(asked, at + 1, word, at + 1);
  const doubled = costAfter(asked, at + 1, word, at);
  const missed = costAfter(asked, at, word, at + 1);
  return Math.min(swapped, mistaken, doubled, missed) + first;
};

/** The cost of an error before these places; more when only the beginning of the word was typed. */
const costAfter = (asked: string, from: number, word: string, to: number): number => {
  if (!word.startsWith(asked.slice(from), to)) return tooMuch;
  if (word.length - to === asked.length - from) return 2;
  return asked.length > 3 ? 3 : tooMuch;
};

const toWord = mapper('service_word', (row) => row.text('word'));
