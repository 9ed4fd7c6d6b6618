// The floor's websocket: one subscription to a signature, which ends with its only notification.
import { once } from 'node:events';
import { WebSocket } from 'ws';

export interface Notifications {
  /** Sends the subscription at once; rejects when the transaction fails or no notification comes for 30 s. */
  confirmed(signature: string): Promise<void>;
  close(): void;
}

interface Incoming {
  id?: number;
  result?: number;
  params?: { subscription: number; result: { value: { err: unknown } } };
}

interface Waiting {
  resolve: () => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

const silentMs = 30_000;

export const openNotifications = async (url: string): Promise<Notifications> => {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await once(socket, 'open');
  const waiting = new Map<number, Waiting>();
  const requestOf = new Map<number, number>();
  let lastId = 0;

  const end = (id: number, error?: Error): void => {
    const waiter = waiting.get(id);
    waiting.delete(id);
    clearTimeout(waiter?.timer);
    if (error === undefined) waiter?.resolve();
    else waiter?.reject(error);
  };

  socket.on('message', (data: Buffer) => {
    const { id, result, params } = JSON.parse(data.toString('utf8')) as Incoming;
    if (id !== undefined) {
      if (result === undefined) end(id, new Error('the subscription was refused'));
      else requestOf.set(result, id);
    } else if (params !== undefined) {
      const request = requestOf.get(params.subscription) ?? 0;
      requestOf.delete(params.subscription);
      const { err } = params.result.value;
      end(request, err === null ? undefined : new Error(`the transfer failed: ${JSON.stringify(err)}`));
    }
  });

  return {
    confirmed: (signature) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        const id = lastId;
        const timer = setTimeout(() => end(id, new Error(`nothing was heard of ${signature}`)), silentMs);
        waiting.set(id, { resolve, reject, timer });
        const params = [signature, { commitment: 'confirmed' }];
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'signatureSubscribe', params }));
      }),
    close() {
      for (const { timer } of waiting.values()) clearTimeout(timer);
      socket.terminate();
    },
  };
};
