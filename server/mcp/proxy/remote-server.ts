// An MCP server behind a URL, over streamable HTTP.
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
} from '@modelcontextprotocol/server';
import { errorTo } from './answers.ts';
import type { Peer } from './peer.ts';
import { isModern } from './repeated.ts';

export interface RemoteServer extends Peer {
  /** Ends the session that the server keeps. */
  end(): Promise<void>;
}

const noAnswer = 'The MCP server cannot be reached, or ended before it answered.';

/** @param headers are sent with each request, and nowhere else */
export const createRemoteServer = (url: URL, headers: Readonly<Record<string, string>>): RemoteServer => {
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  const listeners: ((message: JSONRPCMessage) => void)[] = [];
  /** Requests without a response yet, by their ids as JSON. */
  const open = new Map<string, AbortController>();
  const initializing = new Set<string>();

  const heard = (message: JSONRPCMessage): void => {
    if ('id' in message && !('method' in message)) {
      const key = JSON.stringify(message.id);
      open.delete(key);
      if (initializing.delete(key) && isJSONRPCResultResponse(message))
        transport.setProtocolVersion(String(message.result['protocolVersion']));
    }
    for (const hear of listeners) hear(message);
  };

  const ask = (message: JSONRPCMessage): void => {
    if (!isJSONRPCRequest(message)) return void transport.send(message).catch(() => {});
    const { id, method } = message;
    const key = JSON.stringify(id);
    const ending = new AbortController();
    open.set(key, ending);
    if (method === 'initialize') initializing.add(key);
    const failed = (): void => {
      if (open.get(key) === ending) heard(errorTo(id, noAnswer));
    };
    // In modern revisions a request is cancelled by its own stream.
    const requestSignal = isModern(message) ? { requestSignal: ending.signal } : {};
    transport.send(message, { ...requestSignal, onRequestStreamEnd: failed }).catch(failed);
  };

  return {
    async start(listen) {
      listeners.push(listen);
      // Its errors quote the server.
      Object.assign(transport, { onmessage: heard, onerror: () => {} });
      await transport.start();
    },
    async send(message) {
      const cancelled = cancelledBy(message);
      const request = cancelled === null ? undefined : open.get(cancelled);
      if (cancelled !== null) open.delete(cancelled);
      request?.abort();
      ask(message);
    },
    flushed: () => Promise.resolve(),
    pause() {},
    resume() {},
    async end() {
      await transport.terminateSession().catch(() => {});
      await transport.close();
    },
  };
};

/** The request that a notification cancels, by its id as JSON. */
const cancelledBy = (message: JSONRPCMessage): string | null =>
  isJSONRPCNotification(message) && message.method === 'notifications/cancelled'
    ? JSON.stringify(message.params?.['requestId'])
    : null;
