// Bodies of requests through the proxy and to language models: held in memory until they are answered. What all of them hold
// together is limited.
import type { IncomingMessage } from 'node:http';
import { AppError, fieldError } from '../../errors.ts';

const mebibyte = 1024 * 1024;
/** Of one body, through the proxy; and to a language model, where pictures are part of it. */
export const mostProxied = 8 * mebibyte;
export const mostToModel = 32 * mebibyte;
/** A client that is still writing does not read a refusal, so this much is read first. */
const mostRefusedBytes = 64 * mebibyte;
const most = { ofOneAgent: 32 * mebibyte, ofAll: 128 * mebibyte };

export interface Bodies {
  /**
   * The body, and the function that gives its room back, to be called once; null for a request without a body.
   * @throws AppError `too_large`; `too_many_requests` while others hold the room; `bad_request` for half a body
   */
  read(
    request: IncomingMessage,
    agentId: string,
    mostBytes: number,
  ): Promise<{ body: Buffer | null; release: () => void }>;
}

export const createBodies = (): Bodies => {
  const held = new Map<string, number>();
  let all = 0;

  const hold = (agentId: string, bytes: number): void => {
    const own = (held.get(agentId) ?? 0) + bytes;
    if (bytes > 0 && (own > most.ofOneAgent || all + bytes > most.ofAll)) throw tooMany();
    all += bytes;
    if (own === 0) held.delete(agentId);
    else held.set(agentId, own);
  };

  return {
    async read(request, agentId, mostBytes) {
      const announced = request.headers['content-length'];
      const isChunked = request.headers['transfer-encoding'] !== undefined;
      if (announced === undefined && !isChunked) return { body: null, release: () => {} };
      let bytes = isChunked ? 0 : Number(announced);
      if (bytes > mostRefusedBytes) throw tooLarge(mostBytes);
      if (bytes > mostBytes)
        return { body: await bodyOf(request, 0, mostBytes, () => {}), release: () => {} };
      hold(agentId, bytes);
      const release = (): void => hold(agentId, -bytes);
      // A body of no announced length takes room as it comes.
      const grow = (more: number): void => {
        if (!isChunked) return;
        hold(agentId, more);
        bytes += more;
      };
      try {
        return { body: await bodyOf(request, mostBytes, mostBytes, grow), release };
      } catch (error) {
        release();
        throw error;
      }
    },
  };
};

/** @throws AppError `too_large` for more than `kept` bytes, once they are read; `bad_request`; that of `grow` */
const bodyOf = async (
  request: IncomingMessage,
  kept: number,
  mostBytes: number,
  grow: (bytes: number) => void,
): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > mostRefusedBytes) break;
      if (size > kept) chunks.length = 0;
      else {
        grow(chunk.byteLength);
        chunks.push(chunk);
      }
    }
  } catch (error) {
    throw error instanceof AppError ? error : fieldError('body', 'did not arrive whole');
  }
  if (size > kept) throw tooLarge(mostBytes);
  return Buffer.concat(chunks);
};

const tooLarge = (mostBytes: number): AppError =>
  fieldError('body', `must be at most ${mostBytes / mebibyte} MiB`, 'too_large');
const tooMany = (): AppError =>
  new AppError(
    'too_many_requests',
    'The requests under way hold as much as the treasury keeps in memory. Nothing was sent. Try again when one of them is over.',
    { retryAfterSeconds: 1 },
  );
