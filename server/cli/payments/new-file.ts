// Reads a document of the treasury piece by piece, and writes it to a new file, or in the place of one.
import { randomUUID } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { renameOver } from '../../lib/files/rename-over.ts';
import { Ending } from '../ending.ts';
import type { Terminal } from '../terminal.ts';

/** @param what in the sentence of a failure: `the statement`. @throws Ending when the stream breaks before its end */
export async function* piecesOf({ body }: Response, what: string): AsyncIterable<Uint8Array> {
  try {
    if (body !== null) yield* body;
  } catch {
    throw new Ending('failed', `The treasury ended before ${what} did: it is not complete. Export it again.`);
  }
}

/** The whole document on standard output. */
export const printAll = async ({ io }: Terminal, pieces: AsyncIterable<Uint8Array>): Promise<void> => {
  for await (const piece of pieces) io.out(piece);
};

type Pieces = AsyncIterable<Uint8Array> | readonly string[];

/**
 * Never overwrites an existing file, and removes an incomplete one.
 * @param what begins the sentence of a failure: `The statement`
 * @param orElse follows the sentence that the file exists already
 * @throws Ending
 */
export const writeNew = async (
  file: string,
  what: string,
  pieces: Pieces,
  orElse = 'Name another file.',
): Promise<void> => {
  try {
    await put(file, pieces);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new Ending('failed', `${file} exists already. ${orElse}`);
    removeIfThere(file);
    throw explained(error, file, what);
  }
};

/** Replaces an existing file once the new one, beside it, is complete: otherwise the old one stays. @throws Ending */
export const writeOver = async (file: string, what: string, pieces: Pieces): Promise<void> => {
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    await put(draft, pieces);
    renameOver(draft, file);
  } catch (error) {
    removeIfThere(draft);
    throw explained(error, file, what);
  }
};

/** The bytes are on the disk when it returns: a file that is renamed too early could be empty after a loss of power. */
const put = (file: string, pieces: Pieces): Promise<void> =>
  pipeline(pieces, createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }));

const explained = (error: unknown, file: string, what: string): Ending => {
  if (error instanceof Ending) return error;
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return new Ending('failed', `${what} could not be written to ${file} (${code}).`);
};

const removeIfThere = (file: string): void => {
  try {
    rmSync(file, { force: true });
  } catch {
    // No file can be at such a path: it is too long, or leads through a file.
  }
};
