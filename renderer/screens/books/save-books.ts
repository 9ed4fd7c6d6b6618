// Saves a file of the books: through the browser, or through the desktop's dialog. Meanwhile it reports its progress.
import { bookFileName, type BookFormatName } from '../../../server/contract/books/book-formats.ts';
import { AppError } from '../../../server/errors.ts';
import { askDesktop } from '../../api/desktop.ts';
import { ask } from '../../api/owner.ts';
import { Unreachable } from '../../api/unreachable.ts';
import { saveFile } from '../../shared/save-file.ts';
import { inBrowser, isDesktop } from '../../stores/connection.ts';
import type { Period } from './periods.ts';

export type BookQuery = Period & { format: BookFormatName };

export interface Following {
  signal: AbortSignal;
  /** In whole percent. */
  reached(percent: number): void;
}

export interface SavedFile {
  /** Its path, or its name where the browser chooses the folder. */
  where: string;
  /** The first moment after it, in ISO 8601. */
  to: string;
}

/** Null: the owner canceled it. @throws AppError; Unreachable */
export const saveBooks = (query: BookQuery, following: Following): Promise<SavedFile | null> =>
  isDesktop ? inDesktop(query, following) : inPage(query, following);

const inPage = async (query: BookQuery, following: Following): Promise<SavedFile | null> => {
  const { signal } = following;
  const api = inBrowser();
  if (api === null) throw new Unreachable();
  const exportId = crypto.randomUUID();
  const stop = follow(exportId, following);
  try {
    const response = await api.books({ ...query, exportId }, signal);
    const content = await response.blob();
    const where = bookFileName(query.format);
    saveFile(where, content);
    return { where, to: response.headers.get('X-Books-To') ?? '' };
  } catch (error) {
    if (signal.aborted) return null;
    if (error instanceof AppError || error instanceof Unreachable) throw error;
    throw new Error('The treasury stopped before the file was complete. Nothing was saved: save it again.', {
      cause: error,
    });
  } finally {
    stop();
  }
};

const inDesktop = async (query: BookQuery, following: Following): Promise<SavedFile | null> => {
  const exportId = crypto.randomUUID();
  const cancel = (): void => void askDesktop('cancelBooks', { exportId });
  following.signal.addEventListener('abort', cancel);
  const stop = follow(exportId, following);
  const { path, to } = await askDesktop('saveBooks', { ...query, exportId }).finally(() => {
    stop();
    following.signal.removeEventListener('abort', cancel);
  });
  return path === null || to === null ? null : { where: path, to };
};

const everyMs = 500;

/** A short file has ended before it is asked for. Returns the function that ends it. */
const follow = (exportId: string, { reached }: Following): (() => void) => {
  let isOver = false;
  let timer = setTimeout(look, everyMs);
  async function look(): Promise<void> {
    const progress = await ask('bookProgress', { params: { exportId } }).catch(() => null);
    if (isOver) return;
    if (progress?.isUnderWay === true && progress.rows > 0)
      reached(Math.floor((100 * progress.read) / progress.rows));
    timer = setTimeout(look, everyMs);
  }
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
};
