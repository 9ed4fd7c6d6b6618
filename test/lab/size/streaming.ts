// A statement of everything, streamed to a client that reads as fast as it comes: its speed, and the host's memory.
import { get } from 'node:http';
import { residentMb } from '../bench/resident.ts';
import type { Side } from './questions.ts';

export interface Streamed {
  format: 'csv' | 'json';
  rows: number;
  megabytes: number;
  seconds: number;
  rowsPerSecond: number;
  /** The host's peak memory during it, less its memory before. */
  grownMb: number;
}

export const stream = async (
  { host }: Pick<Side, 'host'>,
  format: 'csv' | 'json',
  token: string,
  signal?: AbortSignal,
): Promise<Streamed> => {
  const before = residentMb(host.ready.pid) ?? Number.NaN;
  let most = before;
  const look = setInterval(() => (most = Math.max(most, residentMb(host.ready.pid) ?? 0)), 200);
  const begin = performance.now();
  const { rows, bytes } = await read(
    `${host.ready.url}/v1/statement?format=${format}&owner=${host.ready.owner}`,
    token,
    signal,
  ).finally(() => clearInterval(look));
  const seconds = (performance.now() - begin) / 1_000;
  return {
    format,
    // The first and last lines of either format are no transfers: a header, or the list's brackets.
    rows: rows - (format === 'csv' ? 1 : 2),
    megabytes: round(bytes / 1e6),
    seconds: round(seconds),
    rowsPerSecond: Math.round(rows / seconds),
    grownMb: Math.round(most - before),
  };
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
        response.on('aborted', () => reject(new Error('the statement ended before its end')));
        response.on('end', () =>
          response.statusCode === 200
            ? resolve({ rows, bytes })
            : reject(new Error(`a statement was answered ${response.statusCode}`)),
        );
      },
    ).on('error', reject);
  });

/** One statement after the other, until `signal`. */
export const keepStreaming = async (side: Side, token: string, signal: AbortSignal): Promise<void> => {
  try {
    while (!signal.aborted) await stream(side, 'csv', token, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};

const round = (value: number): number => Number(value.toPrecision(4));
