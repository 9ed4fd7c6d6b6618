// Updates: off unless the build contains the URL of a release feed. electron-updater installs a download only with a
// valid signature; nothing here changes that.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AppUpdater } from 'electron-updater';
import type { DesktopState } from './ipc/ipc.ts';

type UpdateState = DesktopState['updates'];
type Updater = Pick<
  AppUpdater,
  'autoDownload' | 'autoInstallOnAppQuit' | 'allowDowngrade' | 'checkForUpdates' | 'on'
>;

interface UpdateDeps {
  isPackaged: boolean;
  resourcesPath: string;
  /** Called only where there is a feed. */
  load(): Promise<Updater>;
  changed(): void;
  failed(error: unknown): void;
}

export interface Updates {
  state(): UpdateState;
  start(): Promise<void>;
  stop(): void;
}

const everyMs = 6 * 3_600_000;

export const createUpdates = ({ isPackaged, resourcesPath, load, changed, failed }: UpdateDeps): Updates => {
  let state: UpdateState = 'off';
  let timer: NodeJS.Timeout | undefined;
  const enter = (next: UpdateState): void => {
    state = next;
    changed();
  };
  return {
    state: () => state,
    async start() {
      // electron-builder writes this file when a feed is configured.
      if (!isPackaged || !existsSync(join(resourcesPath, 'app-update.yml'))) return;
      const updater = await load();
      updater.autoDownload = true;
      updater.autoInstallOnAppQuit = true;
      updater.allowDowngrade = false;
      updater.on('update-available', () => enter('available'));
      updater.on('update-not-available', () => enter('idle'));
      updater.on('update-downloaded', () => enter('ready'));
      updater.on('error', failed);
      enter('idle');
      const check = (): void => void updater.checkForUpdates().catch(failed);
      check();
      timer = setInterval(check, everyMs);
    },
    stop: () => clearInterval(timer),
  };
};
