// How the tabs of a browser share one sign-in. They pass each other the ids of pages, never a session: a page of another
// program that had the port may listen too. A tab that is signed in lets a page in at the host, which gives a session only
// for the ticket that it put into that page.
import { openSession, type Session } from './http.ts';
import { pageId, ticket } from './page-ticket.ts';

type Message = { says: 'let-me-in' | 'wait' | 'you-are-in'; page: string } | { says: 'signed-in' };

interface Desk {
  /** Null in a tab that is not signed in; otherwise lets a page in at the host. */
  admitting(): ((pageId: string) => Promise<boolean>) | null;
  /** Another tab has been signed in. */
  onSignIn(): void;
}

const isHereWithinMs = 250;
const isInWithinMs = 5_000;
/** A page that asks without end keeps no tab busy. */
const mostAsking = 30;

let channel: BroadcastChannel | null = null;
const listeners = new Set<(message: Message) => void>();
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin
const say = (message: Message): void => channel?.postMessage(message);

/** Answers other tabs from now on. */
export const joinTabs = ({ admitting, onSignIn }: Desk): void => {
  channel = new BroadcastChannel('treasury-tabs');
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const message = parse(data);
    if (message === null) return;
    // An answer for which this page no longer waits: the other tab was busy.
    const isLate = 'page' in message && message.says !== 'let-me-in' && message.page === pageId && !isAsking;
    if (message.says === 'signed-in' && isAsking) isToAskAgain = true;
    else if (message.says === 'signed-in' || isLate) onSignIn();
    const admit = admitting();
    if (message.says === 'let-me-in' && admit !== null) letIn(message.page, admit);
    for (const listener of listeners) listener(message);
  });
};

let asking = 0;
let before: Promise<void> = Promise.resolve();

const letIn = (page: string, admit: (pageId: string) => Promise<boolean>): void => {
  if (asking >= mostAsking) return;
  asking += 1;
  say({ says: 'wait', page });
  const one = async (): Promise<void> => {
    // Refused, the tab that asked shows its sign-in.
    if (await admit(page).catch(() => false)) say({ says: 'you-are-in', page });
    asking -= 1;
  };
  before = before.then(one);
};

let isAsking = false;
/** Another tab was signed in while this one asked, perhaps too late to have answered. */
let isToAskAgain = false;

/** A session through another tab; null when none is signed in. @throws as `openSession` does */
export const askTabs = async (): Promise<Session | null> => {
  if (pageId === '' || channel === null) return null;
  isAsking = true;
  let isLetIn: boolean;
  do {
    isToAskAgain = false;
    isLetIn = await askOnce();
  } while (!isLetIn && isToAskAgain);
  isAsking = false;
  return isLetIn ? openSession({ page: ticket }) : null;
};

const askOnce = async (): Promise<boolean> => {
  const isAnswered = until('wait', isHereWithinMs);
  const isIn = until('you-are-in', isInWithinMs);
  say({ says: 'let-me-in', page: pageId });
  return (await isAnswered) && isIn;
};

export const announceSignIn = (): void => say({ says: 'signed-in' });

const until = (says: 'wait' | 'you-are-in', withinMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (isReceived: boolean): void => {
      clearTimeout(timer);
      listeners.delete(listener);
      resolve(isReceived);
    };
    const listener = (message: Message): void => {
      if (message.says === says && message.page === pageId) end(true);
    };
    const timer = setTimeout(() => end(false), withinMs);
    listeners.add(listener);
  });

const parse = (data: unknown): Message | null => {
  if (typeof data !== 'object' || data === null || !('says' in data)) return null;
  if (data.says === 'signed-in') return { says: 'signed-in' };
  const isKnown = data.says === 'let-me-in' || data.says === 'wait' || data.says === 'you-are-in';
  if (!isKnown || !('page' in data) || typeof data.page !== 'string') return null;
  return /^[\w-]{22}$/.test(data.page) ? { says: data.says as 'wait', page: data.page } : null;
};
