// Asks the owner where a file is to be saved.
import type { Dialog } from 'electron';

/** Null when the owner cancels the dialog. */
export const askPath = async (
  dialog: Pick<Dialog, 'showSaveDialog'>,
  name: string,
): Promise<string | null> => {
  const { canceled, filePath } = await dialog.showSaveDialog({ defaultPath: name });
  return canceled || filePath === '' ? null : filePath;
};
