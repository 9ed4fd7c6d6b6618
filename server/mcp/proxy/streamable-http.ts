// HTTP with one MCP server: its session, the headers of each request, and the redirects that are followed.
import { requestIn, isObject, type Message, type Request } from './message.ts';
import { headerValue, type ToolHeaders } from './param-headers.ts';
import { metaOf } from './repeated.ts';

export interface Connection {
  url: URL;
  /** The owner's own: sent with each request, and nowhere else. */
  headers: Readonly<Record<string, string>>;
  /** What the server gave its client at `initialize`. */
  session: string | null;
  version: string | null;
  tools: ToolHeaders;
}

/** The revision that a modern request names; older ones agree on theirs at `initialize`. */
export const versionOf = ({ params }: Request): string | null => {
  const version = metaOf(params)['io.modelcontextprotocol/protocolVersion'];
  return typeof version === 'string' ? version : null;
};

/** Sends a message. Rejects when the server cannot be reached. */
export const post = (connection: Connection, message: Message, signal: AbortSignal): Promise<Response> => {
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...headersOf(connection, message),
  };
  return send(connection, 'POST', { headers, body: new Uint8Array(message.bytes), signal });
};

/** Opens the stream of what the server says by itself, or what follows an event of another. Null: it refuses */
export const openStream = async (
  connection: Connection,
  lastEventId: string | undefined,
  signal: AbortSignal,
): Promise<Response | null> => {
  const headers = {
    accept: 'text/event-stream',
    ...ofConnection(connection),
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  const response = await send(connection, 'GET', { headers, signal });
  if (response.ok) return response;
  await response.body?.cancel();
  return null;
};

export const endSession = async (connection: Connection): Promise<void> => {
  if (connection.session !== null) await send(connection, 'DELETE', { headers: ofConnection(connection) });
};

const ofConnection = ({ session, version }: Connection): Record<string, string> => ({
  ...(session === null ? {} : { 'mcp-session-id': session }),
  ...(version === null ? {} : { 'mcp-protocol-version': version }),
});

/** The member that `Mcp-Name` repeats. */
const namedBy: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

const headersOf = (connection: Connection, { text, said }: Message): Record<string, string> => {
  const request = isObject(said) ? requestIn({ text, said }) : null;
  // A new session begins.
  if (request?.method === 'initialize') return ofConnection({ ...connection, session: null });
  const kept = ofConnection(connection);
  const version = request === null ? null : versionOf(request);
  if (request === null || version === null) return kept;
  const { method, params } = request;
  const name = params[namedBy[method] ?? ''];
  return {
    ...kept,
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': headerValue(name) } : {}),
    ...(method === 'tools/call' ? connection.tools.of(params) : {}),
  };
};

const mostRedirects = 5;

/** One exchange. A redirect is followed within the origin alone: headers and payments are for no other. */
const send = async (
  { url, headers }: Connection,
  method: 'POST' | 'GET' | 'DELETE',
  init: { headers: Record<string, string>; body?: Uint8Array<ArrayBuffer>; signal?: AbortSignal },
): Promise<Response> => {
  const sent = { ...init, method, redirect: 'manual', headers: { ...headers, ...init.headers } } as const;
  const followable = method === 'GET' ? [301, 302, 303, 307, 308] : [307, 308];
  let at = url;
  for (let followed = 0; ; followed += 1) {
    const response = await fetch(at.href, sent);
    const place = followable.includes(response.status) ? response.headers.get('location') : null;
    const next = place !== null && URL.canParse(place, at.href) ? new URL(place, at.href) : null;
    if (next === null || !isWithin(at, next) || followed === mostRedirects) return response;
    await response.body?.cancel();
    at = next;
  }
};

/** The same origin, or its https form where both have the default port. */
const isWithin = (from: URL, to: URL): boolean =>
  to.username === '' &&
  to.password === '' &&
  (from.origin === to.origin ||
    (from.protocol === 'http:' && to.protocol === 'https:' && from.host === to.host && to.port === ''));
