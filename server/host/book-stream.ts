// The books of a period as a file of one format: over HTTP, where it may be compressed on its way, or into a file of this
// machine.
import { createWriteStream, rmSync } from 'node:fs';
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Query } from '../contract/schemas.ts';
import { bookFileName, bookFormats } from '../contract/books/book-formats.ts';
import { bookFile, type BookFile, type BookRequest } from '../books/book.ts';
import { type BooksContext, zoneOf } from '../books/context.ts';
import type { Exports } from '../books/exports.ts';
import type { EngineContext } from '../engine/calls/call.ts';
import { iso } from '../engine/calls/views.ts';
import type { Streams } from '../http/router.ts';
import { sendPaced } from './paced.ts';
import { endIn, momentIn } from '../lib/local-days.ts';
import { anchoredIn } from '../books/anchors.ts';
import { verifiedStatement } from '../books/verified-statement.ts';
import { AppError } from '../errors.ts';

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

/** The statement that can be verified, as a document. */
const anchoredStatementStream =
  (context: EngineContext): Streams['anchoredStatement'] =>
  async (query, response) => {
    const { from, to } = query as Query<'anchoredStatement'>;
    const zone = zoneOf(context);
    const period = {
      from: from === undefined ? 0 : momentIn(zone, from),
      to: to === undefined ? Number.MAX_SAFE_INTEGER : endIn(zone, to),
    };
    if (period.to <= period.from)
      throw new AppError('bad_request', 'from: must not be after the end of the period.');
    const anchored = anchoredIn(context, period);
    const [first, last] = [anchored[0], anchored.at(-1)];
    if (first !== undefined && last !== undefined) {
      response.setHeader('X-Books-Zone', zone);
      response.setHeader('X-Books-From', iso(first.facts.from));
      response.setHeader('X-Books-To', iso(last.facts.to));
      response.setHeader(
        'X-Books-Entries',
        anchored.reduce((sum, { facts }) => sum + facts.entries, 0),
      );
    }
    const head = { signer: context.settings.owner, genesis: await context.chain.genesisHash() };
    response.setHeader('Content-Type', 'application/x-ndjson');
    response.setHeader('Content-Disposition', 'attachment; filename="statement.jsonl"');
    if (await sendPaced(context.store, response, verifiedStatement(context, head, period))) response.end();
  };
