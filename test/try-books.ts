import { openStore } from './harness/store.ts';
import { entriesIn } from '../server/books/pass.ts';
import { lineOf } from '../server/books/line.ts';
import { createMerkleTree } from '../server/books/merkle.ts';
const store = openStore('/tmp/books-store/large/sandbox/treasury.db');
for (const what of ['iterate', 'pass', 'lines', 'root']) {
  const begin = performance.now();
  let n = 0;
  const span = { from: 0, to: Number.MAX_SAFE_INTEGER };
  const tree = createMerkleTree();
  if (what === 'iterate') for (const _ of store.transfers.iterate({})) n += 1;
  else
    for (const entry of entriesIn(store, span)) {
      n += 1;
      if (what === 'lines') lineOf(entry);
      if (what === 'root') tree.add(lineOf(entry));
    }
  console.log(
    what,
    n,
    Math.round(performance.now() - begin),
    'ms',
    Math.round(process.memoryUsage().rss / 1e6),
    'MB',
  );
}
console.log(
  store.books.count({ from: 0, to: 1e15 }),
  new Date(store.books.firstAt() ?? 0),
  store.books.unsettled(1e15),
);
store.close();
