// A document of everything, streamed to a client that reads as fast as it comes: its speed, and the host's memory.
import { get } from 'node:http';
import { bookFormatNames } from '../../../server/contract/books/book-formats.ts';
import { residentMb } from '../bench/resident.ts';
import type { Side } from './questions.ts';

export interface Document {
  name: string;
  path: string;
  /** Lines that are no rows: a header, or the brackets of a list. */
  besides: number;
}

export const statements: readonly Document[] = [
  { name: 'statement as csv', path: '/v1/statement?format=csv', besides: 1 },
  { name: 'statement as json', path: '/v1/statement?format=json', besides: 2 },
];
export const books: readonly Document[] = bookFormatNames.map((format) => ({
  name: `books for ${format}`,
  path: `/v1/books?format=${format}`,
  besides: 0,
}));

export interface Streamed {
  /** Lines of text. */
  rows: number;
  megabytes: number;
  seconds: number;
  rowsPerSecond: number;
  /** The host's peak memory during it, less its memory before. */
  grownMb: number;
}

export const stream = async (
  { host }: Pick<Side, 'host'>,
  { path, besides }: Document,
  token: string,
  signal?: AbortSignal,
): Promise<Streamed> => {
  const before = residentMb(host.ready.pid) ?? Number.NaN;
  let most = before;
  const look = setInterval(() => (most = Math.max(most, residentMb(host.ready.pid) ?? 0)), 200);
  const begin = performance.now();
  const { rows, bytes } = await read(
    `${host.ready.url}${path}&owner=${host.ready.owner}`,
    token,
    signal,
  ).finally(() => clearInterval(look));
  const seconds = (performance.now() - begin) / 1_000;
  return {
    rows: rows - besides,
    megabytes: round(bytes / 1e6),
    seconds: round(seconds),
    rowsPerSecond: Math.round(rows / seconds),
    grownMb: Math.round(most - before),
  };
};

/** The fastest of them, with the least memory of any: what another program or a late collection adds is not needed. */
export const bestOf = (read: readonly Streamed[]): Streamed => {
  const [fastest] = read.toSorted((a, b) => a.seconds - b.seconds);
  if (fastest === undefined) throw new Error('at least one reading');
  return { ...fastest, grownMb: Math.min(...read.map(({ grownMb }) => grownMb)) };
};

const read = (url: string, token: string, signal?: AbortSignal): Promise<{ rows: number; bytes: number }> =>
  new Promise((resolve, reject) => {
    get(
      url,
      { headers: { authorization: `Bearer ${token}` }, agent: false, ...(signal && { signal }) },
      (response) => {
        let [rows, bytes] = [0, 0];
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) rows += 1;
        });
        response.on('error', reject);
        response.on('aborted', () => reject(new Error('the document ended before its end')));
        response.on('end', () =>
          response.statusCode === 200
            ? resolve({ rows, bytes })
            : reject(new Error(`a document was answered ${response.statusCode}`)),
        );
      },
    ).on('error', reject);
  });

/** One statement after the other, until `signal`. */
export const keepStreaming = async (side: Side, token: string, signal: AbortSignal): Promise<void> => {
  const [statement] = statements;
  if (statement === undefined) return;
  try {
    while (!signal.aborted) await stream(side, statement, token, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};

const round = (value: number): number => Number(value.toPrecision(4));
