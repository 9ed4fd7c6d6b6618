// A tab keeps its session over a reload, in the sessionStorage of this tab alone. A program that takes the port may read it
// there, when the tab is loaded again: it only gets the port after the host has ended, and that has ended the session,
// except on the sandbox, where test money is all that is at stake.
import type { Session } from './http.ts';

const key = 'treasury-session';

export const keptSession = (): Session | null => {
  const kept = sessionStorage.getItem(key);
  return kept === null ? null : (JSON.parse(kept) as Session);
};

export const keepSession = (session: Session): void => sessionStorage.setItem(key, JSON.stringify(session));

export const dropSession = (): void => sessionStorage.removeItem(key);
