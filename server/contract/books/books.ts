// The books: files for accounting programs, rules, months and their close, and anchors on the chain.
import { owner, type Route } from '../route.ts';

/** Sales in one request. */
export const mostSales = 100;
/** Characters of a sale’s name. */
export const mostName = 120;

export const bookRoutes = {
  books: owner('GET /v1/books', 'The books of a period, in one of the formats of accounting programs'),
  bookProgress: owner('GET /v1/books/exports/:exportId', 'How far a file under way is'),
  bookMonths: owner('GET /v1/books/months', 'Every month, and whether it is closed'),
  bookTotals: owner(
    'GET /v1/books/months/:month/totals',
    'A month by agent, group, service, account and cost center, beside the month before',
  ),
  closeMonth: owner(
    'POST /v1/books/months/:month/close',
    'Check every entry of a month against the chain, and close it',
  ),
  bookModels: owner('GET /v1/books/months/:month/models', 'The model tokens of a month by supplier'),
  addModelInvoice: owner('POST /v1/books/months/:month/invoices', 'Enter an invoice for model tokens'),
  correctModelRequest: owner('POST /v1/books/corrections', 'Correct what a request to a model came to'),
  addBookSales: owner('POST /v1/books/sales', 'Name deposits that are sales, by the records of a seller'),
  bookRules: owner('GET /v1/books/rules', 'The rules that give entries an account and a cost center'),
  addBookRule: owner('POST /v1/books/rules', 'Add a rule'),
  previewBookRule: owner(
    'POST /v1/books/rules/preview',
    'What a rule would catch in a month, and what earlier rules take from it',
  ),
  changeBookRule: owner(
    'POST /v1/books/rules/:ruleId',
    'Change a rule or its place; only sent fields change',
  ),
  endBookRule: owner('DELETE /v1/books/rules/:ruleId', 'Remove a rule'),
  getAnchors: owner('GET /v1/books/anchor', 'Whether the books are anchored on the chain, and until when'),
  setAnchors: owner('POST /v1/books/anchor', 'Anchor the books on the chain once a day, or no longer'),
  anchoredStatement: owner(
    'GET /v1/books/statement',
    'The entries of the anchored days that touch a period, for treasury verify',
  ),
} as const satisfies Record<string, Route>;
