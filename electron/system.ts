// The machine as the desktop uses it: its folders, its settings, and the system's services.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { App, Clipboard } from 'electron';
import type { Config } from '../server/config.ts';
import { xdgConfigHome } from '../server/lib/files/folders.ts';
import { createLog, type RootLog } from '../server/log.ts';
import { createCopier, type Copier } from './clipboard.ts';
import { openSettings, type SettingsFile } from './settings.ts';
import { createStartAtLogin, type StartAtLogin } from './start-at-login.ts';
import { findNoTrayReason } from './tray/status-notifier.ts';
import { createUpdates, type Updates } from './updates.ts';

/** The folder of the bundle, build/out/desktop/main.js, in a checkout and in the archive. */
const here = dirname(fileURLToPath(import.meta.url));
export const places = {
  root: join(here, '..', '..', '..'),
  icons: join(here, '..', '..', 'icons'),
  page: join(here, '..', 'renderer'),
  preload: join(here, 'preload.cjs'),
};

export interface System {
  platform: NodeJS.Platform;
  log: RootLog;
  settings: SettingsFile;
  startAtLogin: StartAtLogin;
  updates: Updates;
  copier: Copier;
  failed(error: unknown): void;
  /** From the last look; null where there is a tray. */
  noTrayReason(): string | null;
  lookForTray(): Promise<string | null>;
}

interface SystemDeps {
  app: App;
  clipboard: Clipboard;
  config: Config;
  changed(): void;
}

export const createSystem = ({ app, clipboard, config, changed }: SystemDeps): System => {
  const { platform } = process;
  const log = createLog(config.logLevel);
  const failed = (error: unknown): void => log.error({ err: error }, 'the desktop could not do something');
  let noTrayReason: string | null = null;
  return {
    platform,
    log,
    failed,
    settings: openSettings(join(config.dataDir, 'settings.json'), log),
    startAtLogin: createStartAtLogin({
      app,
      platform,
      configHome: xdgConfigHome(process.env),
      command: [process.env['APPIMAGE'] ?? process.execPath, '--hidden', '--data', config.dataDir],
    }),
    updates: createUpdates({
      isPackaged: app.isPackaged,
      resourcesPath: process.resourcesPath,
      load: async () => (await import('electron-updater')).default.autoUpdater,
      changed,
      failed,
    }),
    copier: createCopier(clipboard, failed),
    noTrayReason: () => noTrayReason,
    async lookForTray() {
      noTrayReason = await findNoTrayReason(platform);
      return noTrayReason;
    },
  };
};
