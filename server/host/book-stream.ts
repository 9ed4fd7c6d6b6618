// The books of a period as a file of one format: over HTTP, where it may be compressed on its way, or into a file of this
// machine.
import { createWriteStream, rmSync } from 'node:fs';
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Query } from '../contract/schemas.ts';
import { bookFileName, bookFormats } from '../contract/book-formats.ts';
import { bookFile, type BookFile, type BookRequest } from '../books/book.ts';
import { type BooksContext } from '../books/context.ts';
import type { Exports } from '../books/exports.ts';
import type { EngineContext } from '../engine/calls/call.ts';
import { iso } from '../engine/calls/views.ts';
import type { Streams } from '../http/router.ts';
import { anchoredStatementStream } from './anchored-statement-stream.ts';
import { sendPaced } from './paced.ts';

const bookStream =
  (context: BooksContext, exports: Exports): Streams['books'] =>
  async (query, response) => {
    const { format, continues, gzip, exportId, ...period } = query as Query<'books'>;
    const file = await bookFile(context, { format, continues: continues === 'true', ...period });
    // Its reader may have left while the chain was asked.
    if (response.destroyed) return;
    const isZipped = gzip === 'true';
    const progress = exports.begin(file.rows, exportId);
    response.setHeader('Content-Type', isZipped ? 'application/gzip' : bookFormats[format].mediaType);
    response.setHeader('Content-Disposition', `attachment; filename="${bookFileName(format, isZipped)}"`);
    response.setHeader('X-Books-Zone', file.zone);
    response.setHeader('X-Books-From', iso(file.span.from));
    response.setHeader('X-Books-To', iso(file.span.to));
    try {
      const texts = textsOf(file, progress.reached);
      if (!isZipped) return await feed(context, response, texts);
      const zip = createGzip();
      response.on('close', () => zip.destroy());
      zip.pipe(response);
      await feed(context, zip, texts);
    } finally {
      progress.end();
    }
  };

/** Resolves to the first moment after the file, in Unix milliseconds. */
export type SaveBooks = (
  request: BookRequest,
  to: { path: string; exportId: string; signal: AbortSignal },
) => Promise<number>;

/**
 * Writes a file of the desktop's, in place of one that is there; an incomplete one is removed.
 * @throws AppError as `bookFile` does; AbortError; what the disk says
 */
export const saveBooksWith =
  (context: BooksContext, exports: Exports): SaveBooks =>
  async (request, { path, exportId, signal }) => {
    const file = await bookFile(context, request);
    const progress = exports.begin(file.rows, exportId);
    const through = new PassThrough();
    const written = pipeline(through, createWriteStream(path, { mode: 0o600 }), { signal });
    const fed = feed(context, through, textsOf(file, progress.reached)).catch((error: unknown) => {
      through.destroy(error instanceof Error ? error : new Error(String(error)));
    });
    try {
      await Promise.all([fed, written]);
      return file.span.to;
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    } finally {
      progress.end();
    }
  };

const feed = async (context: BooksContext, to: Writable, texts: Iterable<string>): Promise<void> => {
  if (await sendPaced(context.store, to, texts)) to.end();
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
