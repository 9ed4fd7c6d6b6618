// Bugs of the books' anchors and of their verifier, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const anchors = 'test/books/anchors.test.ts';
const verify = 'test/books/verify.test.ts';
const vault = 'test/vault/anchor.test.ts';
const signable = 'server/vault/signable-transfer.ts';
const transaction = 'server/books/verify/anchor-transaction.ts';

export const bugsOfBooks: readonly (Bug & TestTrial)[] = [
  {
    name: 'book01: an anchor that no freeze binds',
    edits: one('server/engine/payment/context.ts', " || kind === 'anchor'", ''),
    file: anchors,
    title: 'no anchor is made: frozen',
  },
  {
    name: 'book02: an anchor of any amount',
    edits: one(signable, "asset === 'SOL' && amount === 0n", "asset === 'SOL'"),
    file: vault,
    title: 'of one lamport is not signed',
  },
  {
    name: 'book03: an anchor to anybody',
    edits: one(signable, 'payee === wallet && payeeIndex === null', 'payeeIndex === null'),
    file: vault,
    title: 'to a stranger is not signed',
  },
  {
    name: 'book04: a transfer behind the memo of an anchor',
    edits: one(
      'server/vault/transfer.ts',
      "...(row.kind === 'anchor' ? [] : [transfer(row)])",
      '...[transfer(row)]',
    ),
    file: vault,
    title: 'its memo alone is signed',
  },
  {
    name: 'book05: any row may move nothing',
    edits: one(
      'server/store/migrations/29-anchors.ts',
      "CHECK (amount >= 0 AND (amount = 0) = (kind = 'anchor'))",
      'CHECK (amount >= 0)',
    ),
    file: 'test/store/migration.test.ts',
    title: 'a payment of nothing',
  },
  {
    name: 'book06: an anchor that was not looked at again in its transaction',
    edits: one('server/books/anchors.ts', 'if (!isSame || store', 'if (now === undefined || store'),
    file: anchors,
    title: 'once the owner changed the time zone',
  },
  {
    name: 'book07: a day that is final as soon as it ends',
    edits: one('server/books/final.ts', 'time.wall(), open) - toleranceMs', 'time.wall(), open)'),
    file: 'test/books/entries.test.ts',
    title: 'once five minutes of it have passed',
  },
  {
    name: 'book08: an anchor as an entry of nothing',
    edits: one('server/books/entry.ts', " || row.kind === 'anchor'", ''),
    file: anchors,
    title: 'is no spending',
  },
  {
    name: 'book09: the content of a transaction taken from the RPC',
    edits: one(transaction, ' || !isSignedBy(signer, bytes, signature)', ''),
    file: verify,
    title: 'an RPC that shows another content',
  },
  {
    name: 'book10: a transaction that failed is an anchor',
    edits: one(transaction, 'if (found.meta?.err !== null)', 'if (found.meta === undefined)'),
    file: verify,
    title: 'one that failed',
  },
  {
    name: 'book11: a memo beside other instructions is an anchor',
    edits: one(transaction, 'others.length === 0 && ', ''),
    file: verify,
    title: 'a payment with its memo',
  },
  {
    name: 'book12: spans that need not follow one another',
    edits: one('server/books/verify/verify.ts', 'return follows ? [] :', 'return follows || !isFirst ? [] :'),
    file: verify,
    title: 'a whole span dropped',
  },
  {
    name: 'book13: lines after the last anchor',
    edits: one('server/books/verify/verify.ts', 'if (left > 0)', 'if (left < 0)'),
    file: verify,
    title: 'the last anchor cut off',
  },
  {
    name: 'book14: a record of another amount makes a deposit a sale',
    edits: one('server/store/books.ts', ' AND deposit.amount = book_sale.amount', ''),
    file: 'test/books/sales.test.ts',
    title: 'is a sale where transaction, wallet and amount',
  },
  {
    name: 'book15: a deposit is sent back by two requests at one moment',
    edits: one(
      'server/engine/api/transfers.ts',
      'store.books.sentBack(sent) > 1',
      'store.books.sentBack(sent) > 2',
    ),
    file: 'test/http/payments.test.ts',
    title: 'sends a deposit back to its payer once',
  },
  {
    name: 'book16: a deposit is sent back to somebody else',
    edits: one('server/engine/api/transfers.ts', 'if (to !== deposit.from)', 'if (to === deposit.wallet)'),
    file: 'test/http/payments.test.ts',
    title: 'sends a deposit back to its payer once',
  },
  {
    name: 'book17: a document names an address of another origin',
    edits: one('server/catalog/openapi-list.ts', '!/^\\/[^{}]*$/.test(path)', '/[{}]/.test(path)'),
    file: 'test/catalog/openapi.test.ts',
    title: 'cannot name an address of others',
  },
];
