// Where build/make-icons.ts put the pictures, and which of them a system wants.
import { join } from 'node:path';
import type { TrayState } from './tray-menu.ts';

/** On macOS a template: black and transparent, the menu bar colours it. */
export const iconFile = (folder: string, state: TrayState, platform: NodeJS.Platform): string => {
  if (platform === 'darwin') return join(folder, `tray-${state}Template.png`);
  return join(folder, platform === 'win32' ? `tray-${state}.ico` : `tray-${state}.png`);
};

export const windowIconFile = (folder: string): string => join(folder, 'icon.png');
