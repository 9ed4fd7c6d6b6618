// The page's connection to a treasury: over IPC in the desktop; in a browser with a session that a one-time login opened,
// here or in another tab.
import { modals } from '@mantine/modals';
import { create } from 'zustand';
import type { DesktopState } from '../../electron/ipc/ipc.ts';
import type { OwnerApi, OwnerEvent } from '../../server/contract/owner-api.ts';
import { AppError } from '../../server/errors.ts';
import { askDesktop, bridge, createIpcApi } from '../api/desktop.ts';
import { createHttpApi, openSession, type BrowserApi, type Proof, type Session } from '../api/http.ts';
import { dropSession, keepSession, keptSession } from '../api/kept-session.ts';
import { setApi } from '../api/owner.ts';
import { askForHost, OtherHost, type Over as OverAtHost } from '../api/proof.ts';
import { askTabs, joinTabs, announceSignIn } from '../api/tabs.ts';
import { openPlace } from '../shared/unsaved.tsx';
import { outdateAll, outdatedBy, queries } from './queries.ts';
import { forget, refresh, refreshSoon } from './treasury.ts';

/** Why this tab was signed out. `restarted`: a host that had just sent this page does not know the session. */
export type Over = OverAtHost | 'restarted';

interface Connection {
  /** `signed-out`: a browser without a session; `waiting`: a desktop without a running treasury. */
  phase: 'opening' | 'signed-out' | 'waiting' | 'connected' | 'lost';
  /** Null in a browser. */
  desktop: DesktopState | null;
  /** Why the last login was refused. */
  refused: Error | null;
  /** Null where the owner signed out here, or was never signed in. */
  over: Over | null;
}

export const isDesktop = bridge !== undefined;
export const useConnection = create<Connection>(() => ({
  phase: 'opening',
  desktop: null,
  refused: null,
  over: null,
}));
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

const connect = (api: OwnerApi, onTurn?: (isConnected: boolean) => void): void => {
  stopListening();
  setApi(api);
  stopListening = api.listen({
    event: onEvent,
    connected(isConnected) {
      onTurn?.(isConnected);
      if (!isConnected) return set({ phase: 'lost' });
      // Data read before the connection may be out of date. The request leaves before the page is drawn.
      outdateAll();
      void refresh();
      set({ phase: 'connected', refused: null, over: null });
    },
  });
};

const disconnect = (phase: Connection['phase']): void => {
  stopListening();
  setApi(null);
  browserApi = null;
  forget();
  queries.clear();
  modals.closeAll();
  set({ phase });
};

/** Null in the desktop, and when nobody is signed in. */
export const inBrowser = (): BrowserApi | null => browserApi;
let browserApi: BrowserApi | null = null;

/** Forgets this tab's session and its data. @param over why, where the owner did not do it here */
export const signOut = (over: Over | null = null): void => {
  dropSession();
  disconnect('signed-out');
  set({ over, refused: null });
};

/** @param isNew this page has signed in just now, at a host that had proven itself: the host that gave the session knows it */
const use = (session: Session, isNew = false): void => {
  let isToBeAnnounced = isNew;
  // The first proof of a page that was loaded just now: a host that does not know the session was started again.
  let isFirst = true;
  const onEnd = (over: Over): void => {
    if (browserApi !== api) return;
    signOut(over === 'unproven' && isFirst ? 'restarted' : over);
    if (isFirst) void joinOthers();
  };
  const api = createHttpApi(session, isNew, onEnd);
  keepSession(session);
  connect(api, (isConnected) => {
    if (isConnected && isToBeAnnounced) announceSignIn();
    isToBeAnnounced &&= !isConnected;
    isFirst = false;
  });
  browserApi = api;
};

/** Trades a proof for a session. */
export const signIn = async (proof: Proof): Promise<void> => {
  try {
    use(await openSession(proof), true);
  } catch (error) {
    if (error instanceof OtherHost) return set({ phase: 'signed-out', over: 'unproven' });
    set({ phase: 'signed-out', refused: error instanceof Error ? error : new Error(String(error)) });
  }
};

const freshPageMs = 10_000;

/** Signs in through another tab; without one, this tab is signed out. */
const joinOthers = async (): Promise<void> => {
  const session = await askTabs().catch((error: unknown) => {
    // The treasury was started again since this page was loaded: a page of now can join.
    if (error instanceof AppError && performance.now() > freshPageMs) location.reload();
    return null;
  });
  const { phase } = useConnection.getState();
  if (phase !== 'opening' && phase !== 'signed-out') return;
  if (session === null) set({ phase: 'signed-out' });
  else use(session);
};

const loginIn = (hash: string): string | undefined => /^#login=([\w-]+)$/.exec(hash)?.[1];

/** A login that is pasted into the address of an open page. The page stays at the address that was asked for. */
const onHashChange = ({ oldURL, newURL }: HashChangeEvent): void => {
  const login = loginIn(new URL(newURL).hash);
  if (login === undefined) return;
  const { phase, over } = useConnection.getState();
  if (phase === 'connected') return history.replaceState(null, '', oldURL);
  const isSame = askForHost().then(
    () => over !== 'unproven' && phase !== 'lost',
    () => false,
  );
  void isSame.then((is) => {
    // Loaded again, the page signs in by itself.
    if (!is) return location.reload();
    history.replaceState(null, '', oldURL);
    void signIn({ token: login });
  });
};

const startInBrowser = (): void => {
  joinTabs({
    admitting: () => (useConnection.getState().phase === 'connected' ? (browserApi?.admit ?? null) : null),
    onSignIn() {
      const { phase, over } = useConnection.getState();
      // A tab whose host did not prove itself sends nothing, until it is loaded again.
      if (over === 'unproven') location.reload();
      else if (phase === 'signed-out') void joinOthers();
    },
  });
  addEventListener('hashchange', onHashChange);
  const login = loginIn(location.hash);
  const kept = keptSession();
  if (login !== undefined) {
    // Removes the login from the URL and the history at once.
    history.replaceState(null, '', location.pathname);
    void signIn({ token: login });
  } else if (kept === null) void joinOthers();
  else use(kept);
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
