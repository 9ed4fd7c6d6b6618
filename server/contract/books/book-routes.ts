// The routes of the books.
import { owner } from '../route.ts';

export const bookRoutes = {
  books: owner('GET /v1/books', 'The books of a period, in one of the formats of accounting programs'),
  bookProgress: owner('GET /v1/books/exports/:exportId', 'How far a file under way is'),
  bookMonths: owner('GET /v1/books/months', 'Every month, and whether it is closed'),
  bookTotals: owner(
    'GET /v1/books/months/:month/totals',
    'A month by agent, group, service, account and cost centre, beside the month before',
  ),
  closeMonth: owner(
    'POST /v1/books/months/:month/close',
    'Compare the journal of a month with the chain and the file, line by line, and close it',
  ),
  bookRules: owner('GET /v1/books/rules', 'The rules that give entries an account and a cost centre'),
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
} as const;
