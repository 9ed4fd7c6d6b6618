// The websocket of a Solana node. Notifications are early hints; polling over HTTP is what counts. A silent or broken
// socket therefore costs time and nothing else.
import { z } from 'zod';
import type { Log } from '../../log.ts';
import { openSocket } from './reconnecting-socket.ts';
import { jsonIn } from '../../lib/base64-json.ts';

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

/** Connects at once; after a break it reconnects and subscribes to everything anew. @throws SyntaxError for a URL that is none. */
export const createSubscriptions = (url: string, log: Log): Subscriptions => {
  const wanted = new Map<number, Subscription>();
  const byServerId = new Map<number, number>();
  let lastId = 0;

  const subscribeAll = (): void => {
    byServerId.clear();
    for (const [id, subscription] of wanted) {
      subscription.serverId = null;
      send(id, subscription.method, subscription.params);
    }
  };

  const receive = (text: string): void => {
    const parsed = message.safeParse(jsonIn(text));
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

  const socket = openSocket(url, { onOpen: subscribeAll, onText: receive }, log);
  const send = (id: number, method: string, params: readonly unknown[]): void =>
    socket.send({ jsonrpc: '2.0', id, method, params });

  return {
    subscribe(method, params, { once }, on) {
      lastId += 1;
      const id = lastId;
      wanted.set(id, { method, params, once, on, serverId: null });
      send(id, method, params);
      return () => end(id);
    },
    close() {
      wanted.clear();
      socket.close();
    },
  };
};
