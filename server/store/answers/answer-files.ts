// Bodies of sellers' answers: in memory while small, otherwise in a file from the first piece on. The file has its
// final name from the start, and counts only once a row in the database refers to it.
import { constants } from 'node:fs';
import { mkdir, open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnswerBody, AnswerDraft, AnswerFiles } from '../../engine/ports.ts';
import { AppError, invariant } from '../../errors.ts';

const pieceBytes = 16 * 1024;
/** Up to this size a body is held in memory until it is kept. */
const smallBytes = 64 * 1024;
const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_RDONLY, O_WRONLY } = constants;
/** Never a path, wherever the name comes from. */
const isName = (name: string): boolean => /^[a-z0-9_-]{1,100}$/i.test(name);

interface AnswerFilesDeps {
  /** Created with the first file. */
  folder: string;
  /** Resolves once the names in a folder would survive a power cut. */
  syncFolder(folder: string): Promise<void>;
  /** Resolves when the event loop has room for a piece of a large body. */
  turn(): Promise<void>;
}

export const createAnswerFiles = (deps: AnswerFilesDeps): AnswerFiles => {
  const { folder } = deps;
  const pathOf = (name: string): string => {
    invariant(isName(name), 'an answer is named by us');
    return join(folder, name);
  };
  return {
    draft: (name) => createDraft(deps, pathOf(name)),
    body: (name, { bytes, encoding }) => ({ bytes, encoding, read: () => piecesOf(pathOf(name)) }),
    async list() {
      const names = await readdir(folder).catch(whenMissing([]));
      const sizes = new Map<string, number>();
      for (const name of names.filter(isName)) sizes.set(name, (await stat(join(folder, name))).size);
      return sizes;
    },
    remove: (name) => rm(pathOf(name), { force: true }),
  };
};

const createDraft = ({ folder, syncFolder, turn }: AnswerFilesDeps, path: string): AnswerDraft => {
  let held: Buffer[] = [];
  let bytes = 0;
  let file: FileHandle | null = null;
  let isDiscarded = false;
  let last: Promise<void> = Promise.resolve();
  const text = createTextCheck();

  const toDisk = async (): Promise<FileHandle> => {
    if (file !== null) return file;
    file = await create(folder, path);
    for (const chunk of held) await file.writeFile(chunk);
    return file;
  };
  const end = async (): Promise<void> => {
    await file?.close();
    file = null;
  };
  /** One after the other: an answer may break off, and be discarded, while a piece of it is being written. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };

  return {
    write: (chunk) =>
      inTurn(() =>
        orDiskLow(async () => {
          if (isDiscarded) return;
          bytes += chunk.byteLength;
          text.add(chunk);
          if (file !== null) {
            await turn();
            return file.writeFile(chunk);
          }
          held.push(chunk);
          if (bytes <= smallBytes) return;
          await toDisk();
          held = [];
        }),
      ),
    body(): AnswerBody {
      const encoding = text.isText() ? 'utf8' : 'base64';
      const whole = held.length > 0 || bytes === 0 ? Buffer.concat(held) : null;
      return { bytes, encoding, read: () => (whole === null ? piecesOf(path) : piecesIn(whole)) };
    },
    keep: () =>
      inTurn(() =>
        orDiskLow(async () => {
          await (await toDisk()).sync();
          await end();
          await syncFolder(folder);
        }),
      ),
    discard() {
      isDiscarded = true;
      return inTurn(async () => {
        await end();
        await rm(path, { force: true });
      });
    },
  };
};

/** Somebody may have put an old file or a link in its place: remove it, and never write to it. */
const create = async (folder: string, path: string): Promise<FileHandle> => {
  const flags = O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await rm(path, { force: true });
  return open(path, flags, 0o600);
};

async function* piecesOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW);
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function* piecesIn(whole: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < whole.byteLength; at += pieceBytes) yield whole.subarray(at, at + pieceBytes);
}

/** Checks whether the pieces so far, joined, are UTF-8. */
const createTextCheck = () => {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let isText = true;
  const check = (chunk: Buffer, stream: boolean): void => {
    try {
      if (isText) decoder.decode(chunk, { stream });
    } catch {
      isText = false;
    }
  };
  return {
    add: (chunk: Buffer) => check(chunk, true),
    isText() {
      check(Buffer.alloc(0), false);
      return isText;
    },
  };
};

/** Blames our disk: otherwise it would look as if the seller had failed. */
const orDiskLow = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    throw new AppError(
      'disk_low',
      'The answer could not be written to the treasury’s disk. Its owner has to free some space.',
      {},
      { cause: error },
    );
  }
};

const whenMissing =
  <T>(empty: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return empty;
    throw error;
  };
