// The desktop's own commands for the page.
import { writeFile } from 'node:fs/promises';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Dialog, Shell } from 'electron';
import { statement } from '../server/engine/api/statement.ts';
import { AppError } from '../server/errors.ts';
import { notePhraseKept } from '../server/host/kept-phrase.ts';
import { phraseOf } from '../server/host/vault.ts';
import { askPath } from './ipc/ask-path.ts';
import { bookCommands } from './book-commands.ts';
import type { Copier } from './clipboard.ts';
import type { Desktop } from './desktop.ts';
import { installMcp } from './install-mcp.ts';
import { openExplorer } from './external.ts';
import type { DesktopState } from './ipc/ipc.ts';
import type { Commands } from './ipc/ipc-main.ts';
import type { SettingsFile } from './settings.ts';
import type { Shortcut } from './tray/shortcut.ts';
import type { StartAtLogin } from './start-at-login.ts';

interface CommandDeps {
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
type Input<C extends keyof Commands> = Parameters<Commands[C]>[0];
/** Where a file was saved; null when the owner canceled the dialog. */
interface Saved {
  path: string | null;
}

export const createCommands = (deps: CommandDeps): Commands => ({
  state: deps.state,
  async setUp(input) {
    await deps.desktop.setUp(input);
    return deps.state();
  },
  async retry({ port }) {
    await deps.desktop.retry(port);
    return deps.state();
  },
  revealPhrase: ({ passphrase }) => revealPhrase(deps, passphrase),
  confirmPhrase: (input) => confirmPhrase(deps, input),
  changeSettings: (input) => changeSettings(deps, input),
  installMcp: ({ host, agentId }) => installMcp(deps.desktop.running(), host, agentId),
  async copy({ text, secret }) {
    await deps.copier.copy(text, secret);
    return done;
  },
  async openExplorer({ signature }) {
    await openExplorer(deps.shell, signature, deps.desktop.running().network);
    return done;
  },
  async openDataFolder() {
    return { done: (await deps.shell.openPath(deps.dataDir)) === '' };
  },
  saveStatement: (input) => saveStatement(deps, input),
  ...bookCommands(deps),
  savePicture: ({ taskId }) => savePicture(deps, taskId),
  saveDiagnostics: () => saveDiagnostics(deps),
  quit() {
    deps.quit();
    return done;
  },
});

const readPhrase = ({ desktop }: CommandDeps, passphrase: string | undefined): Promise<string> =>
  phraseOf(desktop.running().vault, { passphrase: () => Promise.resolve(passphrase) });

const revealPhrase = async (
  deps: CommandDeps,
  passphrase: string | undefined,
): Promise<{ phrase: string }> => {
  const phrase = await readPhrase(deps, passphrase);
  deps.protect();
  return { phrase };
};

const confirmPhrase = async (
  deps: CommandDeps,
  { passphrase, words }: Input<'confirmPhrase'>,
): Promise<{ confirmed: boolean }> => {
  const { desktop, settings } = deps;
  const { network, engine } = desktop.running();
  const all = (await readPhrase(deps, passphrase)).split(' ');
  const places = new Set(words.map(({ place }) => place));
  const confirmed =
    places.size >= 3 && words.every(({ place, word }) => all[place - 1] === word.trim().toLowerCase());
  if (confirmed) {
    const { chains } = settings.get();
    settings.change({ chains: { ...chains, [network]: { ...chains[network], phraseConfirmed: true } } });
    notePhraseKept(engine.context.store);
    deps.changed();
  }
  return { confirmed };
};

const changeSettings = (
  deps: CommandDeps,
  { shortcut, startAtLogin, notifications }: Input<'changeSettings'>,
): DesktopState => {
  const { settings } = deps;
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
  return deps.state();
};

const saveStatement = async (
  { desktop, dialog }: CommandDeps,
  { format, from, to, ...filter }: Input<'saveStatement'>,
): Promise<Saved> => {
  const { engine } = desktop.running();
  const path = await askPath(dialog, `statement.${format}`);
  if (path === null) return { path };
  const chunks = Readable.from(statement(engine.context, { format, from, to, ...filter }));
  await pipeline(chunks, createWriteStream(path, { mode: 0o600 }));
  return { path };
};

const savePicture = async ({ desktop, dialog }: CommandDeps, taskId: string): Promise<Saved> => {
  const input = { params: { taskId }, query: { size: 'whole' } } as const;
  const { dataUrl } = await desktop.running().api.ask('picture', input);
  const [, extension = 'png', data = ''] = /^data:image\/(\w+);base64,(.*)$/.exec(dataUrl) ?? [];
  const path = await askPath(dialog, `${taskId}.${extension}`);
  if (path !== null) await writeFile(path, Buffer.from(data, 'base64'), { mode: 0o600 });
  return { path };
};

const saveDiagnostics = async ({ desktop, dialog }: CommandDeps): Promise<Saved> => {
  const report = await desktop.running().api.ask('diagnostics');
  const path = await askPath(dialog, 'agent-treasury-diagnostics.json');
  if (path !== null) await writeFile(path, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 });
  return { path };
};
