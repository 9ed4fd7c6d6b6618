// The API, the command, the bridge, the desktop and the documents speak as the dashboard does.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { filesBelow, filesWith, retired, wordsOf } from './retired-words.ts';

/** A released migration is never edited. */
const isEdited = (file: string): boolean => !file.includes('/migrations/');
const sources = ['server', 'electron'].flatMap((folder) => filesBelow(folder, /\.ts$/)).filter(isEdited);
const readme = new URL('../README.md', import.meta.url).pathname;
const documents = [...filesBelow('build/docs', /\.md$/), readme];

/** Text that begins a sentence with such a word as its subject: a question may. */
const asSubject = /(?:^|[.:;] )(?:What|Who|Whoever|Whatever) [^?.]*\./;
const literals = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g;
const sentencesOf = (file: string): string[] =>
  file.endsWith('.md')
    ? readFileSync(file, 'utf8')
        .replaceAll(/```[^]*?```/g, '')
        .split(/\n(?:\n|[-|#])/)
        .map((text) => text.replaceAll('\n', ' '))
    : [...wordsOf(readFileSync(file, 'utf8')).matchAll(literals)].map(
        ([, plain, filled]) => plain ?? filled ?? '',
      );

describe.each([
  ['API, command, bridge and desktop', sources],
  ['documents', documents],
])('the words of %s', (_, files) => {
  it.each(retired.map((phrase) => [String(phrase), phrase] as const))('are never %s', (__, phrase) => {
    expect(filesWith(phrase, files)).toEqual([]);
  });

  it('make no sentence of a subject that begins with Who or What', () => {
    const found = files.flatMap((file) => sentencesOf(file).filter((text) => asSubject.test(text)));
    expect(found).toEqual([]);
  });
});

it('are read from all sources', () => {
  expect(sources.length).toBeGreaterThan(400);
  expect(documents.length).toBeGreaterThan(10);
  expect(asSubject.test('What sellers wrote stands there.')).toBe(true);
  expect(asSubject.test('What is there to buy?')).toBe(false);
});
