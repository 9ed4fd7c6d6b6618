// The tray icon. It draws each view and decides nothing.
import type { Menu, NativeImage, Tray } from 'electron';
import {
  title,
  tooltip,
  trayMenu,
  trayState,
  type TrayActions,
  type TrayState,
  type TrayView,
} from './tray-menu.ts';

export interface TrayDeps {
  Tray: typeof Tray;
  Menu: Pick<typeof Menu, 'buildFromTemplate'>;
  icon(state: TrayState): NativeImage;
  platform: NodeJS.Platform;
  actions: TrayActions;
}

interface TrayIcon {
  show(view: TrayView): void;
  remove(): void;
}

export const createTray = ({ Tray: TrayClass, Menu: menus, icon, platform, actions }: TrayDeps): TrayIcon => {
  const tray = new TrayClass(icon('running'));
  // On macOS a click opens the menu, which is the convention there.
  if (platform !== 'darwin') tray.on('click', () => actions.open());
  let state: TrayState = 'running';
  let drawn = '';
  return {
    show(view) {
      const next = trayState(view);
      if (next !== state) tray.setImage(icon(next));
      state = next;
      tray.setToolTip(tooltip(view));
      if (platform === 'darwin') tray.setTitle(title(view));
      // Replacing an open menu closes it, so replace it only when it changes.
      const template = trayMenu(view, actions);
      const text = JSON.stringify(template);
      if (text === drawn) return;
      drawn = text;
      tray.setContextMenu(menus.buildFromTemplate(template));
    },
    remove: () => tray.destroy(),
  };
};
