// An MCP server behind a URL, over streamable HTTP. What it is sent and what it says pass on as they are.
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { errorTo } from './answers.ts';
import { readEvents } from './event-stream.ts';
import {
  answeredBy,
  cancelledBy,
  isObject,
  lookedAt,
  messageOf,
  partsOf,
  readMessage,
  requestIn,
  withoutElements,
  type JsonObject,
  type Message,
  type Part,
  type Request,
} from './message.ts';
import { createToolHeaders } from './param-headers.ts';
import type { Peer } from './peer.ts';
import { metaOf } from './repeated.ts';
import { endSession, openStream, post, versionOf, type Connection } from './streamable-http.ts';

export interface RemoteServer extends Peer {
  /** Ends the session that the server keeps. */
  end(): Promise<void>;
}

/** A request without a response yet. */
interface Open {
  request: Request;
  ending: AbortController;
  /** It was sent again with the headers that the server missed. */
  isRepeated: boolean;
  /** Of a request of ours: gets the response, in place of the host. */
  answered?: (response: JsonObject) => void;
}

interface State extends Connection {
  hear: (message: Message) => void;
  open: Map<string, Open>;
  over: AbortController;
}

const noAnswer = 'The MCP server cannot be reached, or ended before it answered.';

/** The error of a server that misses a header which its tool wants. */
const headerMismatch = -32020;

/** @param headers are sent with each request, and nowhere else */
export const createRemoteServer = (url: URL, headers: Readonly<Record<string, string>>): RemoteServer => {
  const state: State = {
    url,
    headers,
    hear: () => {},
    session: null,
    version: null,
    open: new Map(),
    tools: createToolHeaders(),
    over: new AbortController(),
  };
  return {
    async start(listen) {
      state.hear = listen;
    },
    async send(message) {
      for (const cancelled of partsOf(message).map(cancelledBy)) {
        const request = cancelled === null ? undefined : state.open.get(cancelled);
        if (request === undefined) continue;
        state.open.delete(request.request.id);
        // In modern revisions a request is canceled by the end of its own stream.
        if (versionOf(request.request) !== null) request.ending.abort();
      }
      void ask(state, message, {});
    },
    flushed: () => Promise.resolve(),
    pause() {},
    resume() {},
    async end() {
      await endSession(state).catch(() => {});
      state.over.abort();
    },
  };
};

/** Sends a message, and reads what comes of it: for each request in it a response, be it an error of ours. */
const ask = async (
  state: State,
  message: Message,
  more: Partial<Pick<Open, 'isRepeated' | 'answered'>>,
): Promise<void> => {
  const requests = partsOf(message).flatMap((part) => requestIn(part) ?? []);
  const ending = new AbortController();
  for (const request of requests) state.open.set(request.id, { isRepeated: false, ...more, request, ending });
  const left = (): Request[] => requests.filter(({ id }) => state.open.get(id)?.ending === ending);
  const signal = AbortSignal.any([ending.signal, state.over.signal]);
  try {
    if ((await exchange(state, message, { requests, left, signal })) === 'accepted') return;
  } catch {
    // Its error may quote the server.
  }
  for (const { id } of left()) hear(state, messageOf(errorTo(id, noAnswer)));
};

interface Exchange {
  requests: readonly Request[];
  /** Those without a response. */
  left(): Request[];
  signal: AbortSignal;
}

/** `accepted`: what the server answers comes on the stream of what it says by itself. */
const exchange = async (
  state: State,
  message: Message,
  { requests, left, signal }: Exchange,
): Promise<'over' | 'accepted'> => {
  const response = await post(state, message, signal);
  const opens = requests.some(({ method }) => method === 'initialize');
  if (opens && response.ok) state.session = response.headers.get('mcp-session-id');
  if (requests.length === 0 || response.status === 202) {
    await response.body?.cancel();
    const isOpened = isObject(message.said) && message.said['method'] === 'notifications/initialized';
    if (isOpened && response.ok) void listen(state).catch(() => {});
    return 'accepted';
  }
  if (response.ok && /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')) {
    await readEvents(response, (data) => hearLine(state, Buffer.from(data)), {
      reopen: (lastId) => openStream(state, lastId, signal),
      isWanted: (isResumable) => isResumable && left().length > 0,
      signal,
    });
    return 'over';
  }
  const body = Buffer.from(await response.arrayBuffer());
  if (response.ok || requests.some(({ id }) => isAnswer(body, id))) hearLine(state, body);
  return 'over';
};

const isAnswer = (body: Buffer, id: string): boolean => {
  const said = readMessage(body);
  return said !== null && partsOf(said).some((part) => answeredBy(part) === id);
};

/** What the server says without being asked. */
const listen = async (state: State): Promise<void> => {
  const { signal } = state.over;
  const response = await openStream(state, undefined, signal);
  if (response === null) return;
  await readEvents(response, (data) => hearLine(state, Buffer.from(data)), {
    reopen: (lastId) => openStream(state, lastId, signal),
    isWanted: () => true,
    signal,
  });
};

/** A line break within JSON is white space: over stdio it would end the message. */
const hearLine = (state: State, json: Buffer): void => {
  const message = readMessage(
    json.includes('\n') ? Buffer.from(json.toString().replace(/[\r\n]+/g, ' ')) : json,
  );
  if (message !== null) hear(state, message);
};

const hear = (state: State, message: Message): void => {
  const left = lookedAt(message, (part) => ofServer(state, part));
  if (left !== null) state.hear(left);
};

/** Returns what the host gets of it; null: nothing. */
const ofServer = (state: State, part: Part): string | null => {
  const { text, said } = part;
  const id = answeredBy(part);
  const known = id === null ? undefined : state.open.get(id);
  if (id === null || known === undefined) return text;
  state.open.delete(id);
  if (known.answered !== undefined) {
    known.answered(said);
    return null;
  }
  const { method } = known.request;
  const { result, error } = said;
  if (method === 'initialize' && isObject(result) && typeof result['protocolVersion'] === 'string')
    state.version = result['protocolVersion'];
  if (versionOf(known.request) === null) return text;
  if (method === 'tools/list') return withUsableTools(state, part);
  const isMissing = method === 'tools/call' && isObject(error) && error['code'] === headerMismatch;
  if (!isMissing || known.isRepeated) return text;
  void repeat(state, known.request);
  return null;
};

/** A client must leave out a tool whose headers it cannot send, and say so. */
const withUsableTools = ({ tools }: State, { text, said: { result } }: Part): string => {
  const unusable = tools.learn(result);
  for (const at of unusable) {
    const { name } = (result as { tools: { name?: unknown }[] }).tools[at] ?? {};
    const printed = (JSON.stringify(name) ?? '').slice(0, 140).replaceAll(/[^ -~]/g, '?');
    process.stderr.write(`treasury: the tool ${printed} is left out: its x-mcp-header is not valid\n`);
  }
  return withoutElements(text, ['result', 'tools'], unusable);
};

/** Sends a call again that the server refused for its headers, once it is known which its tools want. */
const repeat = async (state: State, request: Request): Promise<void> => {
  const { id } = request;
  const waiting: Open = { request, ending: new AbortController(), isRepeated: true };
  state.open.set(id, waiting);
  await learnTools(state, request);
  if (state.open.get(id) === waiting) await ask(state, messageOf(request.text), { isRepeated: true });
};

const mostPages = 64;

const learnTools = async (state: State, { params }: Request): Promise<void> => {
  const own = Object.entries(metaOf(params)).filter(([name]) => name.startsWith('io.modelcontextprotocol/'));
  let cursor: unknown;
  for (let page = 0; page < mostPages; page += 1) {
    const asked = { cursor, _meta: Object.fromEntries(own) };
    const list = { jsonrpc: '2.0', id: `treasury:${randomUUID()}`, method: 'tools/list', params: asked };
    const { result } = await new Promise<JsonObject>((answered) => {
      void ask(state, messageOf(JSON.stringify(list)), { answered });
    });
    state.tools.learn(result);
    cursor = isObject(result) ? result['nextCursor'] : undefined;
    if (typeof cursor !== 'string') return;
  }
};
