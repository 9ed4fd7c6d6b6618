// The page's connection to a treasury: over IPC in the desktop; in a browser with a session that a one-time login
// opened, kept for this tab only.
import { create } from 'zustand';
import type { DesktopState } from '../../electron/ipc.ts';
import type { OwnerApi, OwnerEvent } from '../../server/contract/owner-api.ts';
import { askDesktop, bridge, createIpcApi } from '../api/desktop.ts';
import { createHttpApi, keptSession, openSession, sessionKey, type Proof } from '../api/http.ts';
import { setApi } from '../api/owner.ts';
import { openPlace } from '../shared/unsaved.tsx';
import { outdateAll, outdatedBy, queries } from './queries.ts';
import { forget, refresh, refreshSoon } from './treasury.ts';

interface Connection {
  /** `signed-out`: a browser without a session; `waiting`: a desktop without a running treasury. */
  phase: 'opening' | 'signed-out' | 'waiting' | 'connected' | 'lost';
  /** Null in a browser. */
  desktop: DesktopState | null;
  /** Why the last login was refused. */
  refused: Error | null;
}

export const isDesktop = bridge !== undefined;
export const useConnection = create<Connection>(() => ({ phase: 'opening', desktop: null, refused: null }));
const set = useConnection.setState;

let stopListening: () => void = () => {};

const onEvent = (event: OwnerEvent): void => {
  refreshSoon();
  outdatedBy(event);
  for (const listen of listeners) listen(event);
};

const listeners = new Set<(event: OwnerEvent) => void>();
/** For one-time reactions such as a notice; screens draw snapshots. Returns a function that unsubscribes. */
export const onOwnerEvent = (listen: (event: OwnerEvent) => void): (() => void) => {
  listeners.add(listen);
  return () => void listeners.delete(listen);
};

const connect = (api: OwnerApi): void => {
  stopListening();
  setApi(api);
  stopListening = api.listen({
    event: onEvent,
    connected(isConnected) {
      if (!isConnected) return set({ phase: 'lost' });
      set({ phase: 'connected', refused: null });
      // Data read before the connection may be out of date.
      outdateAll();
      void refresh();
    },
  });
};

const disconnect = (phase: Connection['phase']): void => {
  stopListening();
  setApi(null);
  forget();
  queries.clear();
  set({ phase });
};

/** Forgets this tab's session and its data. */
export const signOut = (): void => {
  sessionStorage.removeItem(sessionKey);
  disconnect('signed-out');
};

/** Trades a proof for a session. */
export const signIn = async (proof: Proof): Promise<void> => {
  try {
    const session = await openSession(proof);
    sessionStorage.setItem(sessionKey, JSON.stringify(session));
    connect(createHttpApi(session, signOut));
  } catch (error) {
    set({ phase: 'signed-out', refused: error instanceof Error ? error : new Error(String(error)) });
  }
};

const startInBrowser = (): void => {
  const [, login] = /^#login=([\w-]+)$/.exec(location.hash) ?? [];
  if (login !== undefined) {
    // Removes the login from the URL and the history at once.
    history.replaceState(null, '', location.pathname);
    void signIn({ token: login });
    return;
  }
  const kept = keptSession();
  if (kept === null) set({ phase: 'signed-out' });
  else connect(createHttpApi(kept, signOut));
};

const startInDesktop = (): void => {
  if (bridge === undefined) return;
  const api = createIpcApi(bridge);
  const onState = (desktop: DesktopState): void => {
    const was = useConnection.getState();
    set({ desktop });
    if (desktop.phase !== 'running') disconnect('waiting');
    else if (was.phase !== 'connected' || was.desktop?.network !== desktop.network) connect(api);
  };
  bridge.onState(onState);
  bridge.onOpen(({ path }) => openPlace(path));
  void askDesktop('state', {}).then(onState);
};

export const start = (): void => (isDesktop ? startInDesktop() : startInBrowser());
