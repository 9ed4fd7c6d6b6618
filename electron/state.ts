// The desktop's own state for the page. It never contains a secret.
import type { Desktop } from './desktop.ts';
import type { DesktopState } from './ipc/ipc.ts';
import type { SettingsFile } from './settings.ts';
import type { Shortcut } from './tray/shortcut.ts';
import type { StartAtLogin } from './start-at-login.ts';
import type { Updates } from './updates.ts';

interface StateDeps {
  desktop: Pick<Desktop, 'life' | 'host' | 'known' | 'port'>;
  settings: Pick<SettingsFile, 'get'>;
  shortcut: Pick<Shortcut, 'state'>;
  startAtLogin: StartAtLogin;
  updates: Pick<Updates, 'state'>;
  /** Null where there is a tray. */
  noTrayReason(): string | null;
  platform: string;
  version: string;
}

export const readState = (deps: StateDeps): DesktopState => {
  const { network, chains, notifications } = deps.settings.get();
  const host = deps.desktop.host();
  const chain = network === null ? null : chains[network];
  const reason = deps.noTrayReason();
  return {
    ...deps.desktop.life(),
    network,
    rpcUrl: chain?.rpcUrl ?? null,
    secondRpcUrl: chain?.secondRpcUrl ?? null,
    port: host === null ? deps.desktop.port() : Number(new URL(host.url).port),
    known: deps.desktop.known(),
    phraseConfirmed: network === 'sandbox' || (chain?.phraseConfirmed ?? false),
    tray: { shown: reason === null, reason },
    shortcut: deps.shortcut.state(),
    startAtLogin: {
      supported: deps.startAtLogin.supported,
      enabled: deps.startAtLogin.supported && deps.startAtLogin.enabled(),
    },
    notifications,
    updates: deps.updates.state(),
    platform: deps.platform,
    version: deps.version,
  };
};
