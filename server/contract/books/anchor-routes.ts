// The routes of the books' anchors, and of the statement that they prove.
import { owner } from '../route.ts';

export const anchorRoutes = {
  getAnchors: owner('GET /v1/books/anchor', 'Whether the books are anchored on the chain, and until when'),
  setAnchors: owner('POST /v1/books/anchor', 'Anchor the books on the chain once a day, or no longer'),
  anchoredStatement: owner(
    'GET /v1/books/statement',
    'The entries of the anchored days that touch a period, for treasury verify',
  ),
} as const;
