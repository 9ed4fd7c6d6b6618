// The documents are consistent: each relative link and image leads to a file, each anchor to a heading, the README stays
// short, and the number of planted bugs is that of the lists.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bugsCaughtByTests } from './lab/campaign/bugs/caught-by-tests.ts';
import { plantedBugs } from './lab/campaign/planted-bugs.ts';
import { bookFormatNames, bookFormats, importingWords } from '../server/contract/books/book-formats.ts';

const root = new URL('../', import.meta.url);
const pages = [
  'README.md',
  ...readdirSync(new URL('build/docs/', root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `build/docs/${name}`),
];
/** In front of what is a product of its own, and nobody has to read to change the treasury. */
const besides = ['sandbox', 'paywall', 'client/package', 'books/verify'].map(
  (room) => `server/${room}/README.md`,
);
const textOf = (page: URL): string => readFileSync(page, 'utf8');

/** Code blocks may show links and headings of their own. */
const withoutCode = (text: string): string => text.replaceAll(/^```[^]*?^```$/gm, '');

/** The anchors that GitHub makes of headings; a repeated heading gets a number. */
const anchorsOf = (text: string): Set<string> => {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutCode(text).matchAll(/^#{1,6} (.*)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
    let unique = anchor;
    for (let n = 1; anchors.has(unique); n += 1) unique = `${anchor}-${n}`;
    anchors.add(unique);
  }
  return anchors;
};

const linksOf = (text: string): string[] =>
  [
    ...withoutCode(text)
      .replaceAll(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^)\s]+)[^)]*\)|\b(?:href|src)="([^"]+)"/g),
  ]
    .map(([, inline, attribute]) => inline ?? attribute ?? '')
    .filter((link) => !/^[a-z]+:/i.test(link));

/** Null when the link, from the page's folder, leads to something. */
const faultOf = (link: string, page: URL): string | null => {
  const target = new URL(link, page);
  const anchor = decodeURIComponent(target.hash.slice(1));
  target.hash = '';
  if (!existsSync(target)) return `${link}: no such file`;
  if (anchor !== '' && target.pathname.endsWith('.md') && !anchorsOf(textOf(target)).has(anchor))
    return `${link}: no such heading`;
  return null;
};

it.each([...pages, ...besides])('%s links only to files and headings that exist', (name) => {
  const page = new URL(name, root);
  const faults = linksOf(textOf(page)).map((link) => faultOf(link, page));
  expect(faults.filter((fault) => fault !== null)).toEqual([]);
});

const held = /^Nothing: out of scope$|`test\/[\w/-]+(\.test\.ts)?`/;

/** The cells of each row of the tables whose first column has this heading. */
const rowsOf = (page: string, heading: string): string[][] =>
  textOf(new URL(page, root))
    .split('\n\n')
    .filter((block) => new RegExp(`^\\| ${heading} *\\|`).test(block))
    .flatMap((table) => table.trimEnd().split('\n').slice(2))
    .map((row) => row.split('|').map((cell) => cell.trim()));

it.each([
  ['README.md', 'what is promised', 5],
  ['build/docs/security.md', 'what is promised', 20],
  ['build/docs/security.md', 'threat', 14],
])('%s names, for each row of “%s”, the tests that hold it', (page, heading, least) => {
  const rows = rowsOf(page, heading);
  expect(rows.length).toBeGreaterThanOrEqual(least);
  expect(rows.filter((row) => !row.some((cell) => held.test(cell)))).toEqual([]);
});

it.each(pages)('%s names only tests that exist', (name) => {
  const named = [...textOf(new URL(name, root)).matchAll(/`(test\/[\w./-]+)`/g)].map(
    ([, path]) => path ?? '',
  );
  const exists = (path: string): boolean =>
    ['', '.test.ts'].some((ending) => existsSync(new URL(path + ending, root)));
  expect(named.filter((path) => !exists(path))).toEqual([]);
});

it('links every page from the README', () => {
  const linked = linksOf(textOf(new URL('README.md', root))).map((link) => link.replace(/#.*/, ''));
  expect(pages.filter((page) => page !== 'README.md' && !linked.includes(page))).toEqual([]);
});

it('names in each page beside the treasury only files that are there', () => {
  const missing = besides.flatMap((page) =>
    [...textOf(new URL(page, root)).matchAll(/`([\w/-]+\.ts|[a-z]+\/|(?:server|test|build)\/[\w/.-]+)`/g)]
      .map(([, path = '']) => path)
      .filter(
        (path) => ![new URL(path, new URL(page, root)), new URL(path, root)].some((one) => existsSync(one)),
      )
      .map((path) => `${page}: ${path}`),
  );
  expect(missing).toEqual([]);
});

it('keeps the README at 150 lines at most', () => {
  expect(textOf(new URL('README.md', root)).trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

it('names only scripts that exist', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const named = pages
    .flatMap((page) => [...textOf(new URL(page, root)).matchAll(/npm run (?:-s )?([\w-]+)/g)])
    .map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

it('puts a comment of a shell on a line of its own: zsh takes # in a pasted line for an argument', () => {
  const behind = pages.flatMap((name) =>
    [...textOf(new URL(name, root)).matchAll(/^```(?:sh|bash|zsh|console)\n([^]*?)^```/gm)].flatMap(
      ([, block = '']) => block.split('\n').filter((line) => /^\s*[^#\s].*\s#/.test(line)),
    ),
  );
  expect(behind).toEqual([]);
});

it('counts the planted bugs as the lists do', () => {
  const security = textOf(new URL('build/docs/security.md', root));
  const told = [...security.matchAll(/(\d+) bugs, each planted/g)].map(([, count]) => Number(count));
  expect(told).toEqual([plantedBugs.length, bugsCaughtByTests.length]);
});

it('the page on books says of each format what importing twice does', () => {
  const page = textOf(new URL('build/docs/books.md', root));
  const said = [...page.matchAll(/^\| `(\w+)` .*\| (.*?) +\|$/gm)].map(([, format, words]) => [
    format,
    words,
  ]);
  expect(said).toEqual(bookFormatNames.map((name) => [name, importingWords[bookFormats[name].importing]]));
});
