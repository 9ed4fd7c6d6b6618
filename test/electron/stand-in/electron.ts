// A recording stand-in for the part of the `electron` module that the desktop uses. It behaves as Electron's
// documentation says; the rest is missing, so that using more of Electron fails here.
import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { MenuItemConstructorOptions } from 'electron';

export interface Recorded {
  call: string;
  args: unknown[];
}
export const calls: Recorded[] = [];
const record = (call: string, ...args: unknown[]): void => void calls.push({ call, args });

/** Electron's methods fail without their object; so do these. */
const strictThis = <T extends object>(target: T): T => {
  for (const [name, work] of Object.entries(target)) {
    if (typeof work !== 'function') continue;
    Object.assign(target, {
      [name](this: unknown, ...args: unknown[]): unknown {
        if (this !== target) throw new TypeError(`Illegal invocation: ${name}`);
        return work.apply(target, args);
      },
    });
  }
  return target;
};

const preventable = () => {
  const event = { defaultPrevented: false, preventDefault: () => void (event.defaultPrevented = true) };
  return event;
};

let ready = false;
let userData = '';
let lockFile: string | null = null;

class App extends EventEmitter {
  isPackaged = false;
  enableSandbox = (): void => {
    if (ready) throw new Error('enableSandbox after ready');
    record('app.enableSandbox');
  };
  setPath = (name: string, path: string): void => {
    record('app.setPath', name, path);
    userData = path;
  };
  getVersion = (): string => '0.2.0';
  requestSingleInstanceLock = (): boolean => {
    mkdirSync(userData, { recursive: true });
    const file = join(userData, 'stand-in.lock');
    try {
      openSync(file, 'wx');
      lockFile = file;
      return true;
    } catch {
      return false;
    }
  };
  whenReady = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    ready = true;
    this.emit('session-created', session.defaultSession);
  };
  setBadgeCount = (count: number): void => record('app.setBadgeCount', count);
  getLoginItemSettings = () => ({ openAtLogin: false });
  setLoginItemSettings = (settings: unknown): void => record('app.setLoginItemSettings', settings);
  quit = (): void => {
    record('app.quit');
    const event = preventable();
    this.emit('before-quit', event);
    if (event.defaultPrevented) return;
    for (const window of windows) window.close();
    if (windows.size > 0) return;
    this.exit(0);
  };
  exit = (code = 0): void => {
    if (lockFile !== null) rmSync(lockFile, { force: true });
    process.exit(code);
  };
}
export const app = strictThis(new App());

let contentsId = 0;
export class WebContents extends EventEmitter {
  id = (contentsId += 1);
  sent: { channel: string; body: unknown }[] = [];
  openHandler: ((details: { url: string }) => { action: string }) | null = null;
  send = (channel: string, body: unknown): void => {
    this.sent.push({ channel, body: structuredClone(body) });
    // An endless record would slow down the measured code.
    if (this.sent.length > 2_000) this.sent.splice(0, 1_000);
  };
  setWindowOpenHandler = (handler: NonNullable<WebContents['openHandler']>): void => {
    this.openHandler = handler;
  };
}

export const windows = new Set<BrowserWindow>();
export class BrowserWindow extends EventEmitter {
  webContents = strictThis(new WebContents());
  visible = false;
  minimized = false;
  isProtected = false;
  url = '';
  options: object;
  constructor(options: object) {
    super();
    if (!ready) throw new Error('a window before ready');
    this.options = options;
    record('new BrowserWindow', options);
    strictThis(this);
    windows.add(this);
    app.emit('web-contents-created', {}, this.webContents);
  }
  loadURL = async (url: string): Promise<void> => {
    this.url = url;
    const response = await schemeHandler(new Request(url));
    record('loadURL', url, response.status, Object.fromEntries(response.headers));
    this.emit('ready-to-show');
    this.webContents.emit('did-finish-load');
  };
  show = (): void => {
    this.visible = true;
  };
  hide = (): void => {
    this.visible = false;
  };
  focus = (): void => record('window.focus');
  minimize = (): void => {
    this.minimized = true;
  };
  restore = (): void => {
    this.minimized = false;
  };
  isMinimized = (): boolean => this.minimized;
  isDestroyed = (): boolean => !windows.has(this);
  setContentProtection = (on: boolean): void => {
    this.isProtected = on;
  };
  getNormalBounds = () => ({ x: 10, y: 20, width: 900, height: 700 });
  /** As when the owner clicks the window's close button. */
  close = (): void => {
    const event = preventable();
    this.emit('close', event);
    if (event.defaultPrevented) return;
    windows.delete(this);
    this.emit('closed');
    if (windows.size === 0) app.emit('window-all-closed');
  };
}

export const trays: Tray[] = [];
export class Tray extends EventEmitter {
  image: unknown;
  tooltip = '';
  title = '';
  menu: MenuItemConstructorOptions[] = [];
  constructor(image: unknown) {
    super();
    this.image = image;
    strictThis(this);
    trays.push(this);
  }
  setImage = (image: unknown): void => {
    this.image = image;
  };
  setToolTip = (text: string): void => {
    this.tooltip = text;
  };
  setTitle = (text: string): void => {
    this.title = text;
  };
  setContextMenu = (menu: { template: MenuItemConstructorOptions[] }): void => {
    this.menu = menu.template;
  };
}

export const Menu = strictThis({
  buildFromTemplate: (template: MenuItemConstructorOptions[]) => ({ template }),
  setApplicationMenu: (menu: unknown): void => record('Menu.setApplicationMenu', menu),
});

/** A PNG by its signature; Electron returns an empty image for anything else. */
export const nativeImage = strictThis({
  createFromPath(path: string) {
    const isImage = existsSync(path) && readFileSync(path).subarray(1, 4).toString('latin1') === 'PNG';
    if (!isImage) throw new Error(`no picture at ${path}`);
    return { path };
  },
});

export const notifications: Notification[] = [];
export class Notification extends EventEmitter {
  static isSupported = (): boolean => true;
  options: { title: string; body: string };
  constructor(options: Notification['options']) {
    super();
    this.options = options;
  }
  show = (): void => void notifications.push(this);
}

type Handler = (event: unknown, ...args: unknown[]) => Promise<unknown>;
export const handlers = new Map<string, Handler>();
export const ipcMain = strictThis({
  handle(channel: string, handler: Handler) {
    if (handlers.has(channel)) throw new Error(`a second handler for ${channel}`);
    handlers.set(channel, handler);
  },
});

export const shortcuts = new Map<string, () => void>();
export const globalShortcut = strictThis({
  register(accelerator: string, pressed: () => void): boolean {
    if (process.env['STAND_IN_NO_SHORTCUT'] !== undefined) return false;
    shortcuts.set(accelerator, pressed);
    return true;
  },
  isRegistered: (accelerator: string): boolean => shortcuts.has(accelerator),
  unregisterAll: (): void => shortcuts.clear(),
});

let clipboardText = '';
export const clipboard = strictThis({
  readText: () => Promise.resolve(clipboardText),
  writeText: (text: string) => Promise.resolve(void (clipboardText = text)),
  clear: (): void => void (clipboardText = ''),
});

/** The owner's answers to come, first to last; without one the answer is Cancel. */
export const answers: { response?: number; filePath?: string }[] = [];
export const dialog = strictThis({
  async showMessageBox(options: { cancelId?: number }) {
    record('dialog.showMessageBox', options);
    return { response: answers.shift()?.response ?? options.cancelId ?? 0 };
  },
  async showSaveDialog(options: object) {
    record('dialog.showSaveDialog', options);
    const filePath = answers.shift()?.filePath ?? '';
    return { canceled: filePath === '', filePath };
  },
});

export const powerMonitor = new EventEmitter();
export const screen = strictThis({
  getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1_920, height: 1_080 } }],
});
export const shell = strictThis({
  openExternal: async (url: string): Promise<void> => record('shell.openExternal', url),
  openPath: async (path: string): Promise<string> => {
    record('shell.openPath', path);
    return '';
  },
});

let schemeHandler = (_request: Request): Promise<Response> => Promise.reject(new Error('no scheme'));
export const protocol = strictThis({
  registerSchemesAsPrivileged(schemes: unknown) {
    if (ready) throw new Error('registerSchemesAsPrivileged after ready');
    record('protocol.registerSchemesAsPrivileged', schemes);
  },
  handle(_scheme: string, handler: typeof schemeHandler) {
    schemeHandler = handler;
  },
});

class Session extends EventEmitter {
  setPermissionRequestHandler = (): void => record('session.setPermissionRequestHandler');
  setPermissionCheckHandler = (): void => record('session.setPermissionCheckHandler');
  setDevicePermissionHandler = (): void => record('session.setDevicePermissionHandler');
  setUSBProtectedClassesHandler = (): void => record('session.setUSBProtectedClassesHandler');
  setBluetoothPairingHandler = (): void => record('session.setBluetoothPairingHandler');
  setDisplayMediaRequestHandler = (): void => record('session.setDisplayMediaRequestHandler');
  setSpellCheckerEnabled = (on: boolean): void => record('session.setSpellCheckerEnabled', on);
  webRequest = { onBeforeRequest: (): void => record('session.webRequest.onBeforeRequest') };
}
export const session = { defaultSession: strictThis(new Session()) };
