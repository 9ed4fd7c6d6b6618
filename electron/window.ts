// The one window: created when it is first opened, hidden when it is closed, destroyed when the application ends.
import type { BrowserWindow, BrowserWindowConstructorOptions, Rectangle, Screen } from 'electron';
import { pageOrigin } from './app-scheme.ts';
import { messageChannel, type Message } from './ipc/channels.ts';

export interface WindowDeps {
  BrowserWindow: typeof BrowserWindow;
  screen: Pick<Screen, 'getAllDisplays'>;
  preload: string;
  icon: string;
  /** Developer tools are available only in an unpackaged build. */
  isPackaged: boolean;
  bounds(): Rectangle | null;
  keepBounds(bounds: Rectangle): void;
  /** Why closing minimizes the window; null where there is a tray. Asked again at each close. */
  noTrayReason(): Promise<string | null>;
  /** Called when the system ends the session. */
  ending(): void;
}

export interface Window {
  /** Shows it, with the screen at `path`. */
  open(path?: string): void;
  send(message: Message, body: unknown): void;
  /** Whether these contents are our window's page. */
  isOwn(contentsId: number): boolean;
  /** Keeps screenshots and recordings out while a secret may be on the screen. */
  protect(): void;
  /** From now on, closing the window destroys it. */
  letGo(): void;
}

const minimumWidth = 420;
const protectMs = 600_000;

const windowOptions = (preload: string, isPackaged: boolean): BrowserWindowConstructorOptions => ({
  show: false,
  minWidth: minimumWidth,
  minHeight: 480,
  title: 'Agent Treasury',
  autoHideMenuBar: true,
  webPreferences: {
    preload,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    disableDialogs: true,
    spellcheck: false,
    devTools: !isPackaged,
  },
});

/** Its last place, unless that screen is gone. */
const placeOf = (bounds: Rectangle | null, screen: Pick<Screen, 'getAllDisplays'>) => {
  const usual = { width: 1_120, height: 800 };
  if (bounds === null) return usual;
  const isSeen = screen
    .getAllDisplays()
    .some(
      ({ workArea }) =>
        bounds.x < workArea.x + workArea.width - 50 &&
        bounds.x + bounds.width > workArea.x + 50 &&
        bounds.y >= workArea.y - 10 &&
        bounds.y < workArea.y + workArea.height - 50,
    );
  return isSeen ? bounds : usual;
};

export const createWindow = (deps: WindowDeps): Window => {
  let window: BrowserWindow | null = null;
  let closes = false;
  let unprotect: NodeJS.Timeout | undefined;

  const stopProtecting = (): void => {
    clearTimeout(unprotect);
    window?.setContentProtection(false);
  };

  const hide = async (target: BrowserWindow): Promise<void> => {
    deps.keepBounds(target.getNormalBounds());
    const reason = await deps.noTrayReason();
    if (target.isDestroyed()) return;
    stopProtecting();
    if (reason === null) target.hide();
    else target.minimize();
  };

  const make = (): BrowserWindow => {
    const made = new deps.BrowserWindow({
      ...windowOptions(deps.preload, deps.isPackaged),
      ...placeOf(deps.bounds(), deps.screen),
      icon: deps.icon,
    });
    made.once('ready-to-show', () => made.show());
    made.on('close', (event) => {
      if (closes) return;
      event.preventDefault();
      void hide(made);
    });
    made.on('closed', () => {
      clearTimeout(unprotect);
      window = null;
    });
    made.on('session-end', deps.ending);
    void made.loadURL(`${pageOrigin}/index.html`);
    return made;
  };

  const send: Window['send'] = (message, body) => {
    if (window === null || window.isDestroyed()) return;
    window.webContents.send(messageChannel(message), body);
  };

  return {
    open(path) {
      const isNew = window === null;
      window ??= make();
      if (!isNew) {
        if (window.isMinimized()) window.restore();
        window.show();
        window.focus();
      }
      if (path === undefined) return;
      const target = window;
      if (isNew) target.webContents.once('did-finish-load', () => send('open', { path }));
      else send('open', { path });
    },
    send,
    isOwn: (contentsId) => window !== null && !window.isDestroyed() && window.webContents.id === contentsId,
    protect() {
      window?.setContentProtection(true);
      clearTimeout(unprotect);
      unprotect = setTimeout(stopProtecting, protectMs);
    },
    letGo() {
      closes = true;
      if (window !== null && !window.isDestroyed()) deps.keepBounds(window.getNormalBounds());
    },
  };
};
