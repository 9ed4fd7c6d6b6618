// The owner's API over HTTP, for the dashboard in a browser.
import type { Ask, OwnerApi, OwnerEvent, OwnerRoute } from '../../server/contract/owner-api.ts';
import { routes, urlOf } from '../../server/contract/routes.ts';
import type { Reply } from '../../server/contract/schemas.ts';
import { AppError, refusalOf } from '../../server/errors.ts';
import { Unreachable } from './unreachable.ts';

export interface Session {
  session: string;
  owner: string;
}

/** The sessionStorage key of a tab's session. */
export const sessionKey = 'treasury-session';

/** This tab's session; null in the desktop, and when nobody is signed in. */
export const keptSession = (): Session | null => {
  const kept = sessionStorage.getItem(sessionKey);
  return kept === null ? null : (JSON.parse(kept) as Session);
};

/** The localStorage key of the token that gives a browser tries of its own, once the owner has signed in there. */
const knownKey = 'treasury-known';

/** Proof of being the owner: a one-time login or an owner token, or the vault's passphrase. */
export type Proof = { token: string } | { passphrase: string };

/** Trades a proof for a session. @throws as `send` does */
export const openSession = async (proof: Proof): Promise<Session> => {
  const kept = localStorage.getItem(knownKey);
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

const reconnectMs = [250, 500, 1_000, 2_000, 5_000];

/** @throws AppError as the server refused it; Unreachable when there is no answer */
export const send = async (path: string, init: RequestInit): Promise<Response> => {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch {
    throw new Unreachable();
  }
  if (response.ok) return response;
  throw refusalOf(response.status, await response.json().catch(() => null));
};

/** @param onEnd called when the session is over: it was ended, the owner locked, or the host was restarted */
export const createHttpApi = ({ session, owner }: Session, onEnd: () => void): OwnerApi => {
  const authorization = { Authorization: `Bearer ${session}` };

  const ask = async <N extends OwnerRoute>(route: N, input: Ask<N> = {} as Ask<N>): Promise<Reply<N>> => {
    const { method, path } = routes[route];
    const headers = {
      ...authorization,
      ...(method === 'GET' ? {} : { 'Content-Type': 'application/json' }),
      ...(input.key === undefined ? {} : { 'Idempotency-Key': input.key }),
    };
    const body = method === 'GET' ? {} : { body: JSON.stringify(input.body ?? {}) };
    try {
      const response = await send(urlOf(path, owner, input), { method, headers, ...body });
      return (await response.json()) as Reply<N>;
    } catch (error) {
      if (isOver(error)) onEnd();
      throw error;
    }
  };

  return {
    ask,
    listen({ event, connected }) {
      const ended = new AbortController();
      void (async () => {
        for (let failures = 0; !ended.signal.aborted; failures += 1) {
          try {
            const path = urlOf(routes.events.path, owner, {});
            const response = await send(path, { headers: authorization, signal: ended.signal });
            connected(true);
            failures = 0;
            await readEvents(response, event);
          } catch (error) {
            // Retrying does not bring back an ended session.
            if (isOver(error)) return onEnd();
          }
          if (ended.signal.aborted) return;
          connected(false);
          await pause(reconnectMs[Math.min(failures, reconnectMs.length - 1)] ?? 5_000);
        }
      })();
      return () => ended.abort();
    },
  };
};

/** A statement as a file; `ask` reads only JSON replies. */
export const readStatement = async (
  { session, owner }: Session,
  query: { format: 'csv' | 'json' } & Ask<'totals'>['query'],
): Promise<Blob> => {
  const headers = { Authorization: `Bearer ${session}` };
  const response = await send(urlOf(routes.statement.path, owner, { query }), { headers });
  return response.blob();
};

/** Ends the session at the treasury, which invalidates its token. */
export const endSession = async ({ session, owner }: Session): Promise<void> => {
  const headers = { Authorization: `Bearer ${session}`, 'Content-Type': 'application/json' };
  const { method, path } = routes.endSession;
  await send(urlOf(path, owner, {}), { method, headers, body: '{}' });
};

const isOver = (error: unknown): boolean => error instanceof AppError && error.code === 'unauthorized';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Reads server-sent events until the stream ends. EventSource cannot send an Authorization header. */
const readEvents = async (response: Response, tell: (event: OwnerEvent) => void): Promise<void> => {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done) return;
    const parts = (text + value).split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const [, type, data] = /^event: (\w+)\ndata: (.*)$/s.exec(part) ?? [];
      if (type !== undefined && data !== undefined) tell({ type, data: JSON.parse(data) } as OwnerEvent);
    }
  }
};
