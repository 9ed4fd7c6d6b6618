// The treasury for the rest of the desktop: its lifecycle, its latest snapshot, and its events.
import type { App } from 'electron';
import type { Config } from '../server/config.ts';
import type { OwnerApi, OwnerEvent } from '../server/contract/owner-api.ts';
import { createHost } from '../server/host/host.ts';
import type { Message } from '../server/notices/message.ts';
import type { DesktopArguments } from './arguments.ts';
import { installPrograms } from './bridge.ts';
import { createDesktop, type Desktop } from './desktop.ts';
import { createSnapshotReader, type Snapshot, type SnapshotReader } from './snapshot.ts';
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
  /** A notice to be shown. */
  notice(message: Message): void;
  /** Its phase or its snapshot has changed. */
  changed(): void;
}

export const createTreasury = (deps: TreasuryDeps): Treasury => {
  const { app, config, args } = deps;
  const { settings, log, failed, platform } = deps.system;
  const { dataDir } = config;
  const { isPackaged } = app;
  const programs = installPrograms({
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
    createHost: (options) =>
      createHost({ ...options, ...programs, dashboard: places.page, showNotice: deps.notice }),
    log,
    changed: listen,
  });
  const reader = createSnapshotReader({
    read: () => read(desktop.host()?.api),
    changed: deps.changed,
    failed,
  });
  return { desktop, reader };
};

const hourMs = 3_600_000;

const read = async (api: OwnerApi | undefined): Promise<Snapshot | null> => {
  if (api === undefined) return null;
  const query = { status: 'denied', from: new Date(Date.now() - hourMs).toISOString(), limit: '1' } as const;
  const [dashboard, { entries }] = await Promise.all([api.ask('dashboard'), api.ask('activity', { query })]);
  return { ...dashboard, lastRefusal: entries[0] ?? null };
};
