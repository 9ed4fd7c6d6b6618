// The websocket's subscriptions.
import type { Method, Methods } from './context.ts';
import { invalidParams } from './errors.ts';
import { watchKinds, type WatchKind, type Watches } from './watches.ts';

export interface Client {
  send(text: string): void;
  /** Runs after the answer to the present call was sent. */
  afterAnswer(run: () => void): void;
}

export interface Subscriptions {
  methodsFor(client: Client): Methods;
  leave(client: Client): void;
}

interface Subscription {
  readonly client: Client;
  readonly kind: WatchKind;
  readonly stop: () => void;
}

export const createSubscriptions = (watches: Watches): Subscriptions => {
  const subscriptions = new Map<number, Subscription>();
  let lastId = 0;

  const end = (id: number): boolean => {
    subscriptions.get(id)?.stop();
    return subscriptions.delete(id);
  };

  const subscribe =
    (client: Client, kind: WatchKind): Method =>
    (params) => {
      const id = ++lastId;
      const tell = (result: unknown): void => {
        if (!subscriptions.has(id)) return;
        const body = { result, subscription: id };
        client.send(JSON.stringify({ jsonrpc: '2.0', method: `${kind}Notification`, params: body }));
      };
      const tellLast = (result: unknown): void => {
        tell(result);
        end(id);
      };
      const stop = watches[kind](params, { tell, tellLast, afterAnswer: client.afterAnswer });
      subscriptions.set(id, { client, kind, stop });
      return id;
    };

  const unsubscribe =
    (client: Client, kind: WatchKind): Method =>
    ([id]) => {
      const subscription = subscriptions.get(Number(id));
      if (subscription?.client !== client || subscription.kind !== kind) {
        throw invalidParams('Invalid subscription id.');
      }
      return end(Number(id));
    };

  return {
    methodsFor: (client) =>
      Object.fromEntries(
        watchKinds.flatMap((kind) => [
          [`${kind}Subscribe`, subscribe(client, kind)],
          [`${kind}Unsubscribe`, unsubscribe(client, kind)],
        ]),
      ),
    leave: (client) => {
      for (const [id, subscription] of subscriptions) if (subscription.client === client) end(id);
    },
  };
};
