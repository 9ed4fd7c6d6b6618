// Start at login: the system's own list on macOS and Windows, an autostart entry on Linux.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { App } from 'electron';

export interface StartAtLogin {
  supported: boolean;
  enabled(): boolean;
  set(enabled: boolean): void;
}

interface StartAtLoginDeps {
  app: Pick<App, 'isPackaged' | 'getLoginItemSettings' | 'setLoginItemSettings'>;
  platform: NodeJS.Platform;
  /** XDG_CONFIG_HOME. */
  configHome: string;
  /** The command to start, with its arguments. */
  command: readonly string[];
}

/** Not supported in a checkout, where the system would start a bare Electron. */
export const createStartAtLogin = ({
  app,
  platform,
  configHome,
  command,
}: StartAtLoginDeps): StartAtLogin => {
  if (platform === 'linux') {
    const file = join(configHome, 'autostart', 'agent-treasury.desktop');
    return {
      supported: app.isPackaged,
      enabled: () => existsSync(file),
      set(enabled) {
        if (!enabled) return rmSync(file, { force: true });
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, autostartEntry(command));
      },
    };
  }
  const [path = '', ...args] = command;
  const item = { path, args };
  return {
    supported: app.isPackaged && (platform === 'darwin' || platform === 'win32'),
    enabled: () => app.getLoginItemSettings(item).openAtLogin,
    set: (openAtLogin) => app.setLoginItemSettings({ openAtLogin, ...item }),
  };
};

const autostartEntry = (command: readonly string[]): string =>
  [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Agent Treasury',
    'Comment=Pays for your software agents, within your limits',
    `Exec=${command.map(quoted).join(' ')}`,
    'Icon=agent-treasury',
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');

/** Desktop Entry Specification: quoted with backslashes, which the file format doubles; % begins a field code. */
const quoted = (text: string): string =>
  `"${text
    .replaceAll(/["`$\\]/g, String.raw`\$&`)
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')}"`;
