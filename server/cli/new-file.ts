// Reads a document of the treasury piece by piece, and writes it to a file that does not exist yet.
import { createWriteStream, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Ending } from './ending.ts';

/** @param what in the sentence of a failure: `the statement`. @throws Ending when the stream breaks before its end */
export async function* piecesOf({ body }: Response, what: string): AsyncIterable<Uint8Array> {
  try {
    if (body !== null) yield* body;
  } catch {
    throw new Ending('failed', `The treasury ended before ${what} did: it is not complete. Export it again.`);
  }
}

/**
 * Never overwrites an existing file, and removes an incomplete one.
 * @param what begins the sentence of a failure: `The statement`
 * @throws Ending
 */
export const writeNew = async (
  file: string,
  what: string,
  pieces: AsyncIterable<Uint8Array> | readonly string[],
): Promise<void> => {
  try {
    await pipeline(pieces, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new Ending('failed', `${file} exists already. Name another file.`);
    removeIfThere(file);
    if (error instanceof Ending) throw error;
    throw new Ending('failed', `${what} could not be written to ${file} (${code}).`);
  }
};

const removeIfThere = (file: string): void => {
  try {
    rmSync(file, { force: true });
  } catch {
    // No file can be at such a path: it is too long, or leads through a file.
  }
};
