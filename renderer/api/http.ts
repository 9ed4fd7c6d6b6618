// The owner's API over HTTP, for the dashboard in a browser. A session is sent only along a proven line.
import type { Ask, OwnerApi, OwnerRoute } from '../../server/contract/owner-api.ts';
import { routes, urlOf } from '../../server/contract/routes.ts';
import type { Input, Reply } from '../../server/contract/schemas.ts';
import { AppError, refusalOf } from '../../server/errors.ts';
import { listenAlong } from './events.ts';
import { askForHost, createLine, SessionOver, type Line, type Over } from './proof.ts';
import { Unreachable } from './unreachable.ts';

export interface Session {
  session: string;
  owner: string;
}

/** The localStorage key of the token that gives a browser tries of its own, once the owner has signed in there. */
const knownKey = 'treasury-known';

/** Proof of being the owner: a one-time login or an owner token, the vault's passphrase, or another tab's word. */
export type Proof = { token: string } | { passphrase: string } | { page: string };

/**
 * Trades a proof for a session. It goes to the host that sent this page alone; a page's ticket is worthless to any other.
 * @throws as `send` does; OtherHost
 */
export const openSession = async (proof: Proof): Promise<Session> => {
  const isTicket = 'page' in proof;
  if (!isTicket) await askForHost();
  const kept = isTicket ? null : localStorage.getItem(knownKey);
  const response = await send(routes.openSession.path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(kept !== null && { Authorization: `Bearer ${kept}` }),
    },
    body: JSON.stringify(proof),
  });
  const { session, owner, known } = (await response.json()) as Reply<'openSession'>;
  localStorage.setItem(knownKey, known);
  return { session, owner };
};

/** @throws AppError as the server refused it; Unreachable when there is no answer */
export const send = async (path: string, init: RequestInit): Promise<Response> => {
  let response: Response;
  try {
    response = await fetch(path, { ...init, redirect: 'error' });
  } catch {
    throw new Unreachable();
  }
  if (response.ok) return response;
  throw refusalOf(response.status, await response.json().catch(() => null));
};

export interface BrowserApi extends OwnerApi {
  /** A statement as a file; `ask` reads only JSON replies. */
  statement(query: { format: 'csv' | 'json' } & Ask<'totals'>['query']): Promise<Blob>;
  /** A file of the books, while it is being written. */
  books(query: Input<'books'>['query'], signal: AbortSignal): Promise<Response>;
  /** Ends the session at the treasury, which invalidates its token, and those of the browser's other tabs. */
  endSession(): Promise<void>;
  /** Lets the page of another tab join. False unless the host proves this session right now. */
  admit(pageId: string): Promise<boolean>;
}

/**
 * @param isProven the host has just proven itself and given this session
 * @param onEnd called when the session is over
 */
export const createHttpApi = (
  session: Session,
  isProven: boolean,
  onEnd: (why: Over) => void,
): BrowserApi => {
  const line = createLine(session.session, isProven);
  const { check, sendAs } = sendingAs(session, line, onEnd);

  return {
    async ask<N extends OwnerRoute>(route: N, input: Ask<N> = {} as Ask<N>): Promise<Reply<N>> {
      const { method, path } = routes[route];
      const key = input.key === undefined ? {} : { 'Idempotency-Key': input.key };
      const body = method === 'GET' ? {} : { body: JSON.stringify(input.body ?? {}) };
      const response = await sendAs(urlOf(path, session.owner, input), { method, headers: key, ...body });
      return (await response.json()) as Reply<N>;
    },
    listen: (on) =>
      listenAlong(
        {
          line,
          check,
          open: (signal) => sendAs(urlOf(routes.events.path, session.owner, {}), { signal }),
        },
        on,
      ),
    async statement(query) {
      const response = await sendAs(urlOf(routes.statement.path, session.owner, { query }), {});
      return response.blob();
    },
    books: (query, signal) => sendAs(urlOf(routes.books.path, session.owner, { query }), { signal }),
    async endSession() {
      const { method, path } = routes.endSession;
      await sendAs(urlOf(path, session.owner, {}), { method, body: '{}' });
    },
    async admit(pageId) {
      await line.prove();
      const { method, path } = routes.admitPage;
      const body = JSON.stringify({ pageId });
      const response = await sendAs(urlOf(path, session.owner, {}), { method, body });
      return ((await response.json()) as Reply<'admitPage'>).admitted;
    },
  };
};

/** Sends with the session, if the line is proven. @throws as `send` does; SessionOver */
const sendingAs = ({ session }: Session, line: Line, onEnd: (why: Over) => void) => {
  const authorization = { Authorization: `Bearer ${session}` };
  const ending = (error: unknown): unknown => {
    if (error instanceof SessionOver) onEnd(error.why);
    return error;
  };
  const check = (): Promise<void> =>
    line.check().catch((error: unknown) => {
      throw ending(error);
    });
  const sendAs = async (path: string, { headers = {}, ...init }: RequestInit): Promise<Response> => {
    const type = init.body === undefined ? {} : { 'Content-Type': 'application/json' };
    // A request along a proven line leaves at once, not after what the page draws meanwhile.
    if (!line.isAlive()) await check();
    try {
      return await send(path, { ...init, headers: { ...headers, ...type, ...authorization } });
    } catch (error) {
      if (error instanceof Unreachable) line.broke();
      if (!isRefused(error)) throw error;
      // Asked now, a host that knew the session also says why it is over.
      throw ending(
        await line.prove().then(
          () => new SessionOver('signed_out'),
          (why: unknown) => why,
        ),
      );
    }
  };
  return { check, sendAs };
};

const isRefused = (error: unknown): boolean => error instanceof AppError && error.code === 'unauthorized';
