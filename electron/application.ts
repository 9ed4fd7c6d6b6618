// Builds the application once Electron is ready: system, treasury, window, tray and IPC, from top to bottom.
import type { Config } from '../server/config.ts';
import { servePage } from './app-scheme.ts';
import type { DesktopArguments } from './arguments.ts';
import { createCommands } from './commands.ts';
import { hardenSession } from './hardening.ts';
import { iconFile, windowIconFile } from './tray/icons.ts';
import { handleIpc } from './ipc/ipc-main.ts';
import { createNoticeSender } from './notice-sender.ts';
import { createNotifier, type Notifier } from './notifications.ts';
import { createOwnerActions, type OwnerActions } from './owner-actions.ts';
import { createOwnerCalls } from './ipc/owner-calls.ts';
import { watchPower } from './power.ts';
import { closeBeforeQuit, endOnFault } from './quit.ts';
import { createShortcut, type Shortcut } from './tray/shortcut.ts';
import { readState } from './state.ts';
import { createSystem, places, type System } from './system.ts';
import { createTray } from './tray/tray.ts';
import { waiting } from './tray/tray-menu.ts';
import { createTreasury, type Treasury } from './treasury.ts';
import { createWindow, type Window } from './window.ts';

type ElectronParts = Pick<
  typeof Electron.CrossProcessExports,
  | 'app'
  | 'BrowserWindow'
  | 'clipboard'
  | 'dialog'
  | 'globalShortcut'
  | 'ipcMain'
  | 'Menu'
  | 'nativeImage'
  | 'Notification'
  | 'powerMonitor'
  | 'protocol'
  | 'screen'
  | 'session'
  | 'shell'
  | 'Tray'
>;

interface ApplicationOptions {
  electron: ElectronParts;
  config: Config;
  args: DesktopArguments;
  /** Called once the window or the tray is there. */
  ready(): void;
}

interface Parts {
  electron: ElectronParts;
  config: Config;
  system: System;
  treasury: Treasury;
  window: Window;
  notifier: Notifier;
  actions: OwnerActions;
  shortcut: Shortcut;
}

const nothing = (): void => {};

export const startApplication = async (options: ApplicationOptions): Promise<void> => {
  const { electron, config, args } = options;
  let changed = nothing;
  const system = createSystem({ ...electron, config, changed: () => changed() });
  endOnFault(electron.app, system.log);
  await system.lookForTray();

  const treasury = createTreasury({
    app: electron.app,
    system,
    config,
    args,
    event(event) {
      window.send('event', event);
    },
    notice: (message) => notifier.take(message),
    changed: () => changed(),
  });
  const window = openWindowOf(electron, system, () => changed());
  const notifier = createNotifier({
    show: createNoticeSender(electron.Notification, window.open),
    enabled: () => system.settings.get().notifications,
    now: () => performance.now(),
  });
  const actions = createOwnerActions({
    ...treasury,
    dialog: electron.dialog,
    expectFreeze: notifier.expectFreeze,
    open: window.open,
    copy: (text) => system.copier.copy(text, false),
    setStartAtLogin(enabled) {
      system.startAtLogin.set(enabled);
      changed();
    },
    failed: system.failed,
    quit: () => electron.app.quit(),
  });
  const shortcut = createShortcut(electron.globalShortcut, actions.freeze);
  const parts = { electron, config, system, treasury, window, notifier, actions, shortcut };

  const drawTray = drawTrayOf(parts);
  changed = () => {
    window.send('state', stateOf(parts));
    drawTray();
  };
  answerPage(parts, () => changed());
  followSystem(parts);
  shortcut.set(system.settings.get().shortcut);
  changed();
  if (!args.hidden || system.noTrayReason() !== null) window.open();
  options.ready();
  await treasury.desktop.start();
  await system.updates.start().catch(system.failed);
};

const stateOf = ({ electron, system, treasury, shortcut }: Parts) =>
  readState({ ...system, desktop: treasury.desktop, shortcut, version: electron.app.getVersion() });

const openWindowOf = (
  { app, BrowserWindow, screen }: ElectronParts,
  system: System,
  changed: () => void,
): Window =>
  createWindow({
    BrowserWindow,
    screen,
    preload: places.preload,
    icon: windowIconFile(places.icons),
    isPackaged: app.isPackaged,
    bounds: () => system.settings.get().bounds,
    keepBounds: ({ x, y, width, height }) => system.settings.change({ bounds: { x, y, width, height } }),
    async noTrayReason() {
      const reason = await system.lookForTray();
      changed();
      return reason;
    },
    ending: () => app.quit(),
  });

const drawTrayOf = ({ electron, system, treasury, actions, shortcut }: Parts): (() => void) => {
  const { Tray, Menu, nativeImage, app } = electron;
  const { platform, startAtLogin } = system;
  const { desktop, reader } = treasury;
  const icon = createTray({
    Tray,
    Menu,
    icon: (state) => nativeImage.createFromPath(iconFile(places.icons, state, platform)),
    platform,
    actions,
  });
  return () => {
    const snapshot = desktop.host() === null ? null : reader.current();
    const { accelerator, registered } = shortcut.state();
    icon.show({
      life: desktop.life(),
      snapshot,
      startAtLogin: {
        supported: startAtLogin.supported,
        enabled: startAtLogin.supported && startAtLogin.enabled(),
      },
      shortcut: registered ? accelerator : null,
    });
    app.setBadgeCount(snapshot === null ? 0 : waiting(snapshot));
  };
};

/** Serves the page, and its calls over IPC. */
const answerPage = (parts: Parts, changed: () => void): void => {
  const { electron, config, system, treasury, window, notifier, actions, shortcut } = parts;
  const { ipcMain, dialog, shell, app, protocol, session } = electron;
  const { desktop } = treasury;
  hardenSession(session.defaultSession);
  servePage(protocol, places.page);
  handleIpc({
    ipcMain,
    ask: createOwnerCalls({
      running: desktop.running,
      confirmUnfreeze: actions.confirmUnfreeze,
      expectFreeze: notifier.expectFreeze,
      protect: window.protect,
    }),
    commands: createCommands({
      ...system,
      desktop,
      state: () => stateOf(parts),
      changed,
      shortcut,
      shell,
      dialog,
      dataDir: config.dataDir,
      protect: window.protect,
      quit: () => app.quit(),
    }),
    isOwnWindow: window.isOwn,
    log: system.log,
  });
};

/** Follows events of the system: sleep, a second start, quitting. */
const followSystem = (parts: Parts): void => {
  const { electron, system, treasury, window, shortcut } = parts;
  const { app, powerMonitor, Menu } = electron;
  const { desktop, reader } = treasury;
  const quit = (): void => app.quit();
  Menu.setApplicationMenu(
    system.platform === 'darwin'
      ? Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }])
      : null,
  );
  watchPower({
    powerMonitor,
    look: async () => desktop.host()?.engine.recovery.look(),
    refresh: () => void reader.refresh(),
    quit,
    failed: system.failed,
  });
  // The tray or, without one, the minimized window keeps the application running.
  app.on('window-all-closed', nothing);
  // The second start's arguments are ignored.
  app.on('second-instance', () => window.open());
  app.on('activate', () => window.open());
  closeBeforeQuit({
    app,
    async close() {
      window.letGo();
      reader.stop();
      system.updates.stop();
      shortcut.release();
      await system.copier.clear();
      await desktop.close();
    },
    log: system.log,
    onSignal: (signal, work) => void process.on(signal, work),
  });
};
