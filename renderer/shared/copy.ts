// Copies to the clipboard; in the desktop through the main process, which later removes secrets.
import { askDesktop } from '../api/desktop.ts';
import { isDesktop } from '../stores/connection.ts';

export const copy = async (text: string, { secret = false } = {}): Promise<void> => {
  if (isDesktop) await askDesktop('copy', { text, secret });
  else await navigator.clipboard.writeText(text);
};
