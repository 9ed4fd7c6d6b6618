// A bare websocket client: it subscribes and collects the notifications.
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';

export interface Told<T> {
  context: { slot: number };
  value: T;
}

export interface Subscriber {
  /** Resolves with the subscription's id once the server has confirmed it. */
  request<T>(method: string, ...params: unknown[]): Promise<T>;
  /** The next notification of this subscription. */
  next<T>(subscription: number): Promise<T>;
  /** All notifications so far, as method and subscription. */
  readonly heard: readonly { method: string; subscription: number; atMs: number }[];
}

interface Incoming {
  id?: number;
  result?: unknown;
  error?: { message: string };
  method?: string;
  params?: { result: unknown; subscription: number };
}

export const connect = async (wsUrl: string): Promise<Subscriber> => {
  const socket = new WebSocket(wsUrl);
  await once(socket, 'open');
  onTestFinished(() => socket.terminate());
  const answers = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  const waiting = new Map<number, ((value: never) => void)[]>();
  const unread = new Map<number, unknown[]>();
  const heard: { method: string; subscription: number; atMs: number }[] = [];
  let lastId = 0;

  socket.on('message', (data: Buffer) => {
    const { id, result, error, method, params } = JSON.parse(data.toString('utf8')) as Incoming;
    if (method !== undefined && params) {
      heard.push({ method, subscription: params.subscription, atMs: performance.now() });
      const reader = waiting.get(params.subscription)?.shift();
      if (reader) reader(params.result as never);
      else unread.set(params.subscription, [...(unread.get(params.subscription) ?? []), params.result]);
      return;
    }
    const answer = answers.get(id ?? 0);
    if (error) answer?.reject(new Error(error.message));
    else answer?.resolve(result as never);
  });
  return {
    heard,
    request: (method, ...params) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        answers.set(id, { resolve, reject });
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      }),
    next: (subscription) =>
      new Promise((resolve) => {
        const early = unread.get(subscription)?.shift();
        if (early !== undefined) return resolve(early as never);
        waiting.set(subscription, [...(waiting.get(subscription) ?? []), resolve]);
      }),
  };
};
