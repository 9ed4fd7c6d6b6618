// Each concern of the operating system on its own, with small recording fakes.
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTo } from '../../server/lib/files/owner-only.ts';
import { createPageHandler } from '../../electron/app-scheme.ts';
import { readArguments } from '../../electron/arguments.ts';
import { installPrograms } from '../../electron/bridge.ts';
import { createCopier } from '../../electron/clipboard.ts';
import { explorerUrl, openExplorer } from '../../electron/external.ts';
import { openSettings } from '../../electron/settings.ts';
import { createShortcut } from '../../electron/tray/shortcut.ts';
import { createSnapshotReader } from '../../electron/snapshot.ts';
import { createStartAtLogin } from '../../electron/start-at-login.ts';
import { findNoTrayReason } from '../../electron/tray/status-notifier.ts';
import { createUpdates } from '../../electron/updates.ts';
import { createWindow, type WindowDeps } from '../../electron/window.ts';
import { removeFolder, temporaryFolder, until } from '../harness/treasury.ts';

let folder = '';
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  vi.useRealTimers();
  removeFolder(folder);
});

describe('settings', () => {
  const warnings: unknown[] = [];
  const log = { warn: (what: unknown) => void warnings.push(what) };

  it('are kept for this user alone, until the next start', () => {
    const file = join(folder, 'deep', 'settings.json');
    openSettings(file, log).change({ network: 'devnet', port: 5_000 });
    expect(openTo(file)).toBeNull();
    expect(openSettings(file, log).get()).toMatchObject({
      network: 'devnet',
      port: 5_000,
      notifications: true,
    });
  });

  it.each(['{"port": "high"}', 'not json', '{"passphrase": "x"}'])(
    'that cannot be read (%s) are set aside, and the defaults apply',
    (text) => {
      const file = join(folder, 'settings.json');
      writeFileSync(file, text);
      const { network } = openSettings(file, log).get();
      expect(network).toBeNull();
      expect(readFileSync(`${file}.damaged`, 'utf8')).toBe(text);
      expect(warnings.length).toBeGreaterThan(0);
    },
  );
});

describe('the command line', () => {
  it('is read for our own switches alone: those of Chromium and of a tester are ignored', () => {
    const args = [
      '--inspect=0',
      '--remote-debugging-port=0',
      'main.js',
      '--data',
      '/d',
      '--port=4500',
      '--hidden',
    ];
    expect(readArguments([...args, '--owner-cookie', '--export-phrase', '--passphrase-fd', '3'])).toEqual({
      config: ['--data', '/d'],
      port: 4_500,
      hidden: true,
    });
  });
});

const fakeClipboard = () => {
  let text = '';
  return {
    readText: () => Promise.resolve(text),
    writeText: (next: string) => Promise.resolve(void (text = next)),
    clear: (): void => void (text = ''),
  };
};

describe('the clipboard', () => {
  it('loses a secret after 30 s, unless something else was copied meanwhile', async () => {
    vi.useFakeTimers();
    const clipboard = fakeClipboard();
    const { copy } = createCopier(clipboard, vi.fn());
    await copy('secret', true);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(await clipboard.readText()).toBe('secret');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await clipboard.readText()).toBe('');
    await copy('secret', true);
    await clipboard.writeText('the owner’s own');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await clipboard.readText()).toBe('the owner’s own');
    await copy('an address', false);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await clipboard.readText()).toBe('an address');
  });

  it('loses a secret at once when the application ends', async () => {
    const clipboard = fakeClipboard();
    const { copy, clear } = createCopier(clipboard, vi.fn());
    await copy('secret', true);
    await clear();
    expect(await clipboard.readText()).toBe('');
  });
});

describe('a link that is opened outside', () => {
  const signature = '5'.repeat(88);

  it('leads to a transaction in the explorer, on its network', async () => {
    const openExternal = vi.fn(() => Promise.resolve());
    await openExplorer({ openExternal }, signature, 'devnet');
    await openExplorer({ openExternal }, signature, 'mainnet');
    expect(openExternal.mock.calls).toEqual([
      [`https://explorer.solana.com/tx/${signature}?cluster=devnet`],
      [`https://explorer.solana.com/tx/${signature}`],
    ]);
  });

  it.each([
    '',
    '../../x',
    `${'5'.repeat(87)}/`,
    '5'.repeat(63),
    `${'5'.repeat(80)}?a`,
    'https://evil.example/',
  ])('is never %s', (text) => expect(() => explorerUrl(text, 'mainnet')).toThrow());
});

const fakeShortcuts = (takes: boolean) => {
  const held = new Set<string>();
  return {
    register(accelerator: string): boolean {
      if (accelerator === 'nonsense') throw new TypeError('invalid');
      if (takes) held.add(accelerator);
      return takes;
    },
    isRegistered: (accelerator: string) => held.has(accelerator),
    unregisterAll: () => held.clear(),
  };
};

describe('the shortcut', () => {
  it('reports that the system refuses it, and that it is no key combination', () => {
    const refused = createShortcut(fakeShortcuts(false), vi.fn());
    refused.set('Control+X');
    expect(refused.state()).toMatchObject({ registered: false, reason: expect.stringContaining('Wayland') });
    const taken = createShortcut(fakeShortcuts(true), vi.fn());
    taken.set('nonsense');
    expect(taken.state()).toMatchObject({ registered: false, reason: 'This is no key combination.' });
    taken.set('Control+X');
    expect(taken.state()).toEqual({ accelerator: 'Control+X', registered: true, reason: null });
    taken.set('');
    expect(taken.state()).toEqual({ accelerator: '', registered: false, reason: null });
  });
});

describe('start at login', () => {
  it('is an autostart entry on Linux, quoted as the specification asks', () => {
    const login = createStartAtLogin({
      app: { isPackaged: true, getLoginItemSettings: vi.fn(), setLoginItemSettings: vi.fn() },
      platform: 'linux',
      configHome: folder,
      command: ['/opt/My "App"/run', '--data', '/home/$USER/100%'],
    });
    expect([login.supported, login.enabled()]).toEqual([true, false]);
    login.set(true);
    const entry = readFileSync(join(folder, 'autostart', 'agent-treasury.desktop'), 'utf8');
    expect(entry).toContain(String.raw`Exec="/opt/My \\"App\\"/run" "--data" "/home/\\$USER/100%%"`);
    expect(login.enabled()).toBe(true);
    login.set(false);
    expect(login.enabled()).toBe(false);
  });

  it('uses the system’s list elsewhere, and does nothing for a checkout', () => {
    const setLoginItemSettings = vi.fn();
    const on = (platform: NodeJS.Platform, isPackaged: boolean) =>
      createStartAtLogin({
        app: { isPackaged, getLoginItemSettings: vi.fn(), setLoginItemSettings },
        platform,
        configHome: folder,
        command: ['treasury.exe', '--hidden'],
      });
    on('win32', true).set(true);
    expect(setLoginItemSettings.mock.calls).toEqual([
      [{ openAtLogin: true, path: 'treasury.exe', args: ['--hidden'] }],
    ]);
    expect(['linux', 'win32', 'darwin'].map((name) => on(name as NodeJS.Platform, false).supported)).toEqual([
      false,
      false,
      false,
    ]);
  });
});

const busThatSays = (answers: Record<string, string | Error>) => (command: string) => {
  const answer = answers[command] ?? new Error('not installed');
  return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
};

describe('a tray on Linux', () => {
  it('is shown when a watcher for icons is on the bus', async () => {
    expect(await findNoTrayReason('linux', busThatSays({ gdbus: '(true,)\n' }))).toBeNull();
    expect(await findNoTrayReason('linux', busThatSays({ 'dbus-send': '   boolean true\n' }))).toBeNull();
    expect(await findNoTrayReason('darwin', busThatSays({}))).toBeNull();
  });

  it('is missing, with the reason, when there is no watcher or no bus', async () => {
    expect(await findNoTrayReason('linux', busThatSays({ gdbus: '(false,)\n' }))).toContain('AppIndicator');
    expect(await findNoTrayReason('linux', busThatSays({}))).toContain('no bus');
  });
});

const makeWindow = (noTrayReason: string | null) => {
  const did: string[] = [];
  const listeners = new Map<string, (event: object) => void>();
  class RecordingWindow {
    webContents = { id: 7, once: () => {}, send: (channel: string) => void did.push(`send ${channel}`) };
    on = (event: string, listen: (event: object) => void) => void listeners.set(event, listen);
    once = (event: string, listen: (event: object) => void) => void listeners.set(event, listen);
    loadURL = (url: string) => Promise.resolve(void did.push(url));
    show = () => void did.push('show');
    hide = () => void did.push('hide');
    focus = () => void did.push('focus');
    minimize = () => void did.push('minimize');
    isMinimized = () => false;
    isDestroyed = () => false;
    setContentProtection = (on: boolean) => void did.push(`protected ${on}`);
    getNormalBounds = () => ({ x: 1, y: 2, width: 3, height: 4 });
  }
  const kept: object[] = [];
  const window = createWindow({
    BrowserWindow: RecordingWindow as unknown as WindowDeps['BrowserWindow'],
    screen: { getAllDisplays: () => [] },
    preload: 'preload.cjs',
    icon: 'icon.png',
    isPackaged: true,
    bounds: () => null,
    keepBounds: (bounds) => void kept.push(bounds),
    noTrayReason: () => Promise.resolve(noTrayReason),
    ending: vi.fn(),
  });
  const close = (): boolean => {
    let prevented = false;
    listeners.get('close')?.({ preventDefault: () => (prevented = true) });
    return prevented;
  };
  return { window, did, kept, close, listeners };
};

describe('the window', () => {
  it.each([
    ['is put away where there is a tray', null, 'hide'],
    ['is minimised where there is none', 'no tray', 'minimize'],
  ])('%s when it is closed', async (_title, reason, effect) => {
    const { window, did, kept, close } = makeWindow(reason);
    window.open();
    expect(close()).toBe(true);
    await until(effect, () => did.includes(effect));
    expect(kept).toHaveLength(1);
  });

  it('closes when the application ends', () => {
    const { window, close } = makeWindow(null);
    window.open();
    window.letGo();
    expect(close()).toBe(false);
  });

  it('is a single one, and is shown again with the requested screen', () => {
    const { window, did, listeners } = makeWindow(null);
    window.open();
    expect(did).toEqual(['app://treasury/index.html']);
    listeners.get('ready-to-show')?.({});
    window.open('/approvals');
    expect(did.slice(1)).toEqual(['show', 'show', 'focus', 'send message:open']);
    expect([window.isOwn(7), window.isOwn(8)]).toEqual([true, false]);
  });

  it('is not recorded for ten minutes after a secret was shown', () => {
    vi.useFakeTimers();
    const { window, did } = makeWindow(null);
    window.open();
    window.protect();
    vi.advanceTimersByTime(599_000);
    expect(did.at(-1)).toBe('protected true');
    vi.advanceTimersByTime(1_000);
    expect(did.at(-1)).toBe('protected false');
  });
});

const makePage = () => {
  const files = join(folder, 'page');
  mkdirSync(join(files, 'assets'), { recursive: true });
  writeFileSync(join(files, 'index.html'), '<meta content="__NONCE__">');
  writeFileSync(join(files, 'assets', 'main.js'), 'js');
  writeFileSync(join(files, 'notes.txt'), 'not of the page');
  writeFileSync(join(folder, 'settings.json'), 'outside');
  return createPageHandler(files);
};

const get = (url: string, method = 'GET'): Promise<Response> => makePage()(new Request(url, { method }));

describe('the page’s scheme', () => {
  it('serves the built files, each page under a nonce of its own', async () => {
    const [first, second] = [await get('app://treasury/'), await get('app://treasury/index.html')];
    const policy = first.headers.get('content-security-policy') ?? '';
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    expect(nonce.length).toBeGreaterThan(15);
    expect(await first.text()).toBe(`<meta content="${nonce}">`);
    expect(second.headers.get('content-security-policy')).not.toBe(policy);
    expect((await get('app://treasury/assets/main.js')).headers.get('content-type')).toContain(
      'text/javascript',
    );
  });

  it.each([
    'app://treasury/../settings.json',
    'app://treasury/%2e%2e/settings.json',
    'app://treasury/..%2fsettings.json',
    'app://treasury/assets/..%5c..%5csettings.json',
    'app://treasury/notes.txt',
    'app://treasury/assets',
    'app://treasury/constructor',
    'app://other/index.html',
    'https://treasury/index.html',
  ])('does not serve %s', async (url) => expect((await get(url)).status).toBe(404));

  it('accepts nothing but GET', async () =>
    expect((await get('app://treasury/index.html', 'POST')).status).toBe(404));
});

describe('the snapshot', () => {
  it('is read once for all events within 100 ms, and once a minute otherwise', async () => {
    vi.useFakeTimers();
    let readings = 0;
    const reader = createSnapshotReader({
      read() {
        readings += 1;
        return Promise.resolve(null);
      },
      changed: () => {},
      failed: () => {},
    });
    for (let n = 0; n < 1_000; n += 1) reader.touch();
    await vi.advanceTimersByTimeAsync(99);
    expect(readings).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(readings).toBe(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(readings).toBe(2);
    reader.stop();
    reader.touch();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(readings).toBe(2);
  });
});

const makeUpdates = (isPackaged: boolean) => {
  const load = vi.fn(() => Promise.reject(new Error('must not be loaded')));
  return {
    load,
    updates: createUpdates({ isPackaged, resourcesPath: folder, load, changed: vi.fn(), failed: vi.fn() }),
  };
};

describe('updates', () => {
  it('are off without a feed, and electron-updater is not even loaded', async () => {
    for (const isPackaged of [true, false]) {
      const { load, updates } = makeUpdates(isPackaged);
      await updates.start();
      expect([updates.state(), load.mock.calls.length]).toEqual(['off', 0]);
    }
  });

  it('follow a feed that the build configured, never to an older version', async () => {
    writeFileSync(join(folder, 'app-update.yml'), 'provider: generic');
    const listeners = new Map<string, () => void>();
    const updater = {
      autoDownload: false,
      autoInstallOnAppQuit: false,
      allowDowngrade: true,
      checkForUpdates: vi.fn(() => Promise.resolve(null)),
      on: (event: string, listen: () => void) => void listeners.set(event, listen),
    };
    const load = () => Promise.resolve(updater as never);
    const updates = createUpdates({
      isPackaged: true,
      resourcesPath: folder,
      load,
      changed: vi.fn(),
      failed: vi.fn(),
    });
    await updates.start();
    expect([updates.state(), updater.allowDowngrade, updater.checkForUpdates.mock.calls.length]).toEqual([
      'idle',
      false,
      1,
    ]);
    listeners.get('update-available')?.();
    expect(updates.state()).toBe('available');
    listeners.get('update-downloaded')?.();
    expect(updates.state()).toBe('ready');
    updates.stop();
  });
});

describe('bridge and command', () => {
  it('are copied beside the data, and replaced when they differ', () => {
    const resources = join(folder, 'resources', 'bin');
    mkdirSync(resources, { recursive: true });
    const install = (content: string, madeAt: number) => {
      writeFileSync(join(resources, 'treasury-mcp'), content);
      utimesSync(join(resources, 'treasury-mcp'), madeAt, madeAt);
      const resourcesPath = join(folder, 'resources');
      return installPrograms({
        isPackaged: true,
        resourcesPath,
        dataDir: folder,
        root: '/',
        platform: 'linux',
      });
    };
    const { bridge, terminal } = install('one', 1_000);
    const { command, args } = bridge;
    expect(terminal).toEqual([join(folder, 'bin', 'treasury')]);
    expect([command, args]).toEqual([join(folder, 'bin', 'treasury-mcp'), []]);
    expect([readFileSync(command, 'utf8'), openTo(command)]).toEqual(['one', null]);
    install('two', 2_000);
    expect(readFileSync(command, 'utf8')).toBe('two');
    expect(existsSync(`${command}.new`)).toBe(false);
  });
});
