// The files of the books that the desktop writes: each can be canceled while it is being written.
import type { Dialog } from 'electron';
import { bookFileName } from '../server/contract/books/book-formats.ts';
import { askPath } from './ipc/ask-path.ts';
import type { Desktop } from './desktop.ts';
import type { Commands } from './ipc/ipc-main.ts';

interface BookCommandDeps {
  desktop: Pick<Desktop, 'running'>;
  dialog: Pick<Dialog, 'showSaveDialog'>;
}

export const bookCommands = ({
  desktop,
  dialog,
}: BookCommandDeps): Pick<Commands, 'saveBooks' | 'cancelBooks'> => {
  const open = new Map<string, AbortController>();
  return {
    async saveBooks({ exportId, ...request }) {
      const { saveBooks } = desktop.running();
      const path = await askPath(dialog, bookFileName(request.format));
      if (path === null) return { path, to: null };
      const ending = new AbortController();
      open.set(exportId, ending);
      try {
        const to = await saveBooks(
          { ...request, continues: false },
          { path, exportId, signal: ending.signal },
        );
        return { path, to: new Date(to).toISOString() };
      } catch (error) {
        // The owner canceled it.
        if (ending.signal.aborted) return { path: null, to: null };
        throw error;
      } finally {
        open.delete(exportId);
      }
    },
    cancelBooks({ exportId }) {
      const ending = open.get(exportId);
      ending?.abort();
      return { done: ending !== undefined };
    },
  };
};
