// Which of the icons made by build/make-icons.ts a system needs.
import { join } from 'node:path';
import type { TrayState } from './tray-menu.ts';

/** On macOS a template image: black and transparent, colored by the menu bar. */
export const iconFile = (folder: string, state: TrayState, platform: NodeJS.Platform): string => {
  if (platform === 'darwin') return join(folder, `tray-${state}Template.png`);
  return join(folder, platform === 'win32' ? `tray-${state}.ico` : `tray-${state}.png`);
};

export const windowIconFile = (folder: string): string => join(folder, 'icon.png');
