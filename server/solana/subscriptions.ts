// The websocket of a Solana node. Notifications are early hints; polling over HTTP is what counts. A silent or broken
// socket therefore costs time and nothing else.
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { Log } from '../log.ts';

export interface Subscriptions {
  /** Calls back with the result of each notification, or with `once` of the first. Returns a function that ends it. */
  subscribe(
    method: string,
    params: readonly unknown[],
    options: { once: boolean },
    on: (result: unknown) => void,
  ): () => void;
  close(): void;
}

interface Subscription {
  method: string;
  params: readonly unknown[];
  once: boolean;
  on: (result: unknown) => void;
  serverId: number | null;
}

const message = z.union([
  z.object({ id: z.number(), result: z.unknown() }),
  z.object({ id: z.number(), error: z.unknown() }),
  z.object({ method: z.string(), params: z.object({ subscription: z.number(), result: z.unknown() }) }),
]);

const retryMs = { first: 250, most: 15_000 };

/** Connects at once; after a break it reconnects with waits of 250 ms to 15 s. */
export const createSubscriptions = (url: string, log: Log): Subscriptions => {
  const wanted = new Map<number, Subscription>();
  const byServerId = new Map<number, number>();
  let socket: WebSocket | undefined;
  let lastId = 0;
  let waitMs = retryMs.first;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const send = (id: number, method: string, params: readonly unknown[]): void => {
    if (socket?.readyState === WebSocket.OPEN)
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  };

  const receive = (text: string): void => {
    const parsed = message.safeParse(parseJson(text));
    if (!parsed.success) return;
    if ('error' in parsed.data) {
      log.warn({ err: parsed.data.error }, 'the RPC refused a subscription');
    } else if ('id' in parsed.data) {
      const subscription = wanted.get(parsed.data.id);
      if (subscription === undefined || typeof parsed.data.result !== 'number') return;
      subscription.serverId = parsed.data.result;
      byServerId.set(parsed.data.result, parsed.data.id);
    } else {
      const id = byServerId.get(parsed.data.params.subscription);
      const subscription = id === undefined ? undefined : wanted.get(id);
      if (id === undefined || subscription === undefined) return;
      if (subscription.once) end(id, true);
      subscription.on(parsed.data.params.result);
    }
  };

  const end = (id: number, endedByServer = false): void => {
    const subscription = wanted.get(id);
    if (subscription === undefined) return;
    wanted.delete(id);
    if (subscription.serverId === null) return;
    byServerId.delete(subscription.serverId);
    if (endedByServer) return;
    lastId += 1;
    send(lastId, subscription.method.replace('Subscribe', 'Unsubscribe'), [subscription.serverId]);
  };

  const connect = (): void => {
    if (closed) return;
    const opening = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: 10_000 });
    socket = opening;
    opening.on('open', () => {
      waitMs = retryMs.first;
      byServerId.clear();
      for (const [id, subscription] of wanted) {
        subscription.serverId = null;
        send(id, subscription.method, subscription.params);
      }
    });
    opening.on('message', (data) => receive(String(data)));
    opening.on('error', (error) => log.debug({ err: error }, 'the RPC websocket failed'));
    opening.on('close', () => {
      if (closed) return;
      retry = setTimeout(connect, waitMs);
      waitMs = Math.min(waitMs * 2, retryMs.most);
    });
  };
  connect();

  return {
    subscribe(method, params, { once }, on) {
      lastId += 1;
      const id = lastId;
      wanted.set(id, { method, params, once, on, serverId: null });
      send(id, method, params);
      return () => end(id);
    },
    close() {
      closed = true;
      clearTimeout(retry);
      wanted.clear();
      socket?.terminate();
    },
  };
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
