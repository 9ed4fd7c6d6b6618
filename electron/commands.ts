// The desktop's own commands for the page.
import { writeFile } from 'node:fs/promises';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Dialog, Shell } from 'electron';
import { statement } from '../server/engine/api/statement.ts';
import { AppError } from '../server/errors.ts';
import { phraseOf } from '../server/host/vault.ts';
import type { Copier } from './clipboard.ts';
import type { Desktop } from './desktop.ts';
import { openExplorer } from './external.ts';
import type { DesktopState } from './ipc.ts';
import type { Commands } from './ipc-main.ts';
import type { SettingsFile } from './settings.ts';
import type { Shortcut } from './shortcut.ts';
import type { StartAtLogin } from './start-at-login.ts';

export interface CommandDeps {
  desktop: Desktop;
  settings: SettingsFile;
  state(): DesktopState;
  changed(): void;
  shortcut: Shortcut;
  startAtLogin: StartAtLogin;
  copier: Copier;
  shell: Pick<Shell, 'openExternal' | 'openPath'>;
  dialog: Pick<Dialog, 'showSaveDialog'>;
  dataDir: string;
  /** Keeps screenshots out, before a secret is shown. */
  protect(): void;
  quit(): void;
}

const done = { done: true };

export const createCommands = (deps: CommandDeps): Commands => {
  const { desktop, settings, state } = deps;

  const phrase = (passphrase: string | undefined): Promise<string> =>
    phraseOf(desktop.running().vault, { passphrase: () => Promise.resolve(passphrase) });

  /** Null when the owner cancels the dialog. */
  const askPath = async (name: string): Promise<string | null> => {
    const { canceled, filePath } = await deps.dialog.showSaveDialog({ defaultPath: name });
    return canceled || filePath === '' ? null : filePath;
  };

  return {
    state,
    async setUp(input) {
      await desktop.setUp(input);
      return state();
    },
    async retry({ port }) {
      await desktop.retry(port);
      return state();
    },
    async revealPhrase({ passphrase }) {
      const words = await phrase(passphrase);
      deps.protect();
      return { phrase: words };
    },
    async confirmPhrase({ passphrase, words }) {
      const { network } = desktop.running();
      const all = (await phrase(passphrase)).split(' ');
      const places = new Set(words.map(({ place }) => place));
      const confirmed =
        places.size >= 3 && words.every(({ place, word }) => all[place - 1] === word.trim().toLowerCase());
      if (confirmed) {
        const { chains } = settings.get();
        settings.change({ chains: { ...chains, [network]: { ...chains[network], phraseConfirmed: true } } });
        deps.changed();
      }
      return { confirmed };
    },
    changeSettings({ shortcut, startAtLogin, notifications }) {
      if (shortcut !== undefined) {
        deps.shortcut.set(shortcut);
        settings.change({ shortcut });
      }
      if (startAtLogin !== undefined) {
        if (!deps.startAtLogin.supported)
          throw new AppError('not_available', 'Only an installed application can start at login.');
        deps.startAtLogin.set(startAtLogin);
      }
      if (notifications !== undefined) settings.change({ notifications });
      deps.changed();
      return state();
    },
    async copy({ text, secret }) {
      await deps.copier.copy(text, secret);
      return done;
    },
    async openExplorer({ signature }) {
      await openExplorer(deps.shell, signature, desktop.running().network);
      return done;
    },
    async openDataFolder() {
      return { done: (await deps.shell.openPath(deps.dataDir)) === '' };
    },
    async saveStatement({ format, from, to }) {
      const { engine } = desktop.running();
      const path = await askPath(`statement.${format}`);
      if (path === null) return { path };
      const chunks = Readable.from(statement(engine.context, { format, from, to }));
      await pipeline(chunks, createWriteStream(path, { mode: 0o600 }));
      return { path };
    },
    async savePicture({ taskId }) {
      const input = { params: { taskId }, query: { size: 'whole' } } as const;
      const { dataUrl } = await desktop.running().api.ask('picture', input);
      const [, extension = 'png', data = ''] = /^data:image\/(\w+);base64,(.*)$/.exec(dataUrl) ?? [];
      const path = await askPath(`${taskId}.${extension}`);
      if (path !== null) await writeFile(path, Buffer.from(data, 'base64'), { mode: 0o600 });
      return { path };
    },
    async saveDiagnostics() {
      const report = await desktop.running().api.ask('diagnostics');
      const path = await askPath('agent-treasury-diagnostics.json');
      if (path !== null) await writeFile(path, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 });
      return { path };
    },
    quit() {
      deps.quit();
      return done;
    },
  };
};
