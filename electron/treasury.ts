// The treasury for the rest of the desktop: its lifecycle, its latest snapshot, and its events.
import type { App } from 'electron';
import type { Config } from '../server/config.ts';
import type { OwnerEvent } from '../server/contract/owner-api.ts';
import { createHost } from '../server/host/host.ts';
import type { DesktopArguments } from './arguments.ts';
import { installBridge } from './bridge.ts';
import { createDesktop, type Desktop } from './desktop.ts';
import { createSnapshotReader, type SnapshotReader } from './snapshot.ts';
import { places, type System } from './system.ts';

export interface Treasury {
  desktop: Desktop;
  reader: SnapshotReader;
}

interface TreasuryDeps {
  app: Pick<App, 'isPackaged'>;
  system: System;
  config: Config;
  args: DesktopArguments;
  event(event: OwnerEvent): void;
  /** Its phase or its snapshot has changed. */
  changed(): void;
}

export const createTreasury = (deps: TreasuryDeps): Treasury => {
  const { app, config, args } = deps;
  const { settings, log, failed, platform } = deps.system;
  const { dataDir } = config;
  const { isPackaged } = app;
  const bridge = installBridge({
    isPackaged,
    dataDir,
    platform,
    root: places.root,
    resourcesPath: process.resourcesPath,
  });
  let endEvents: (() => void) | undefined;
  const listen = (): void => {
    endEvents?.();
    endEvents = desktop.host()?.api.listen({ event: heard, connected: () => {} });
    deps.changed();
    void reader.refresh();
  };
  const heard = (event: OwnerEvent): void => {
    deps.event(event);
    reader.touch();
  };
  const desktop = createDesktop({
    dataDir,
    settings,
    args: args.config,
    port: args.port,
    // Served on the desktop too, since the page of a link session opens in a browser.
    createHost: (options) => createHost({ ...options, bridge, dashboard: places.page }),
    log,
    changed: listen,
  });
  const reader = createSnapshotReader({
    read: async () => (await desktop.host()?.api.ask('dashboard')) ?? null,
    changed: deps.changed,
    failed,
  });
  return { desktop, reader };
};
