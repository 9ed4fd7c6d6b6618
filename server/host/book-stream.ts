// The books of a period as a file of one format, which may be compressed on its way.
import { createGzip } from 'node:zlib';
import type { Query } from '../contract/schemas.ts';
import { bookFormats } from '../contract/book-formats.ts';
import { bookFile, type BookFile, type BooksContext } from '../books/book.ts';
import type { Exports } from '../books/exports.ts';
import type { EngineContext } from '../engine/calls/call.ts';
import { iso } from '../engine/calls/views.ts';
import type { Streams } from '../http/router.ts';
import { anchoredStatementStream } from './anchored-statement-stream.ts';
import { sendPaced } from './paced.ts';

const bookStream =
  (context: BooksContext, exports: Exports): Streams['books'] =>
  async (query, response) => {
    const { format, continues, gzip, ...period } = query as Query<'books'>;
    const file = bookFile(context, { format, continues: continues === 'true', ...period });
    const isZipped = gzip === 'true';
    const { extension, mediaType } = bookFormats[format];
    // The period is not part of the name: `hledger import` remembers by it what it has imported.
    const name = `books-${format}.${extension}${isZipped ? '.gz' : ''}`;
    const progress = exports.begin(file.rows);
    response.setHeader('Content-Type', isZipped ? 'application/gzip' : mediaType);
    response.setHeader('Content-Disposition', `attachment; filename="${name}"`);
    response.setHeader('X-Books-Zone', file.zone);
    response.setHeader('X-Books-From', iso(file.span.from));
    response.setHeader('X-Books-To', iso(file.span.to));
    response.setHeader('X-Books-Export', progress.id);
    try {
      const texts = textsOf(file, progress.reached);
      if (!isZipped) {
        if (await sendPaced(context.store, response, texts)) response.end();
        return;
      }
      const zip = createGzip();
      response.on('close', () => zip.destroy());
      zip.pipe(response);
      if (await sendPaced(context.store, zip, texts)) zip.end();
    } finally {
      progress.end();
    }
  };

function* textsOf(file: BookFile, reached: (read: number) => void): IterableIterator<string> {
  for (const { text, read } of file.pieces()) {
    reached(read);
    yield text;
  }
}

export const bookStreams = (
  context: EngineContext,
  exports: Exports,
): Pick<Streams, 'books' | 'anchoredStatement'> => ({
  books: bookStream(context, exports),
  anchoredStatement: anchoredStatementStream(context),
});
