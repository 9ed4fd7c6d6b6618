// Calls that cost money. The treasury remembers purchases whose answer never reached the agent. A repeated call, also
// from a restarted bridge, resumes the same payment until its result has been written to the host.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AgentClient, Answer, Sending } from '../client/agent-client.ts';
import { acknowledge } from '../client/fetch-times.ts';
import type { Input } from '../contract/schemas.ts';
import { fieldsNotCompared } from '../contract/payments/wishes.ts';

type Buying = 'pay' | 'fetch' | 'generate';

export interface Buyer {
  /** @param call aborted when the host cancels the call. @throws AppError as the treasury refused it */
  buy<N extends Buying>(
    route: N,
    body: Input<N>['body'],
    sending: Sending & { signal: AbortSignal },
  ): Promise<Answer<N>>;
  /**
   * Call it once at the end of every tool call, as its result is returned. With `received`, the payment whose answer
   * the result holds, the next equal call is a new purchase.
   */
  over(call: AbortSignal, received?: string): void;
}

/**
 * @param newKey makes an idempotency key for each call, so that a retry after a broken connection has no second effect
 */
export const createBuyer = (client: AgentClient, newKey: () => string): Buyer => {
  let acknowledged: Promise<unknown> = Promise.resolve();
  /** For each open call: what it buys, and its number among equal calls. */
  const underWay = new Map<AbortSignal, string>();
  const nthOf = (call: AbortSignal, purchase: string): number => {
    const taken = new Set(underWay.values());
    let nth = 1;
    while (taken.has(`${nth} ${purchase}`)) nth += 1;
    underWay.set(call, `${nth} ${purchase}`);
    return nth;
  };
  return {
    async buy(route, body, sending) {
      // An answer delivered a moment ago must not be resumed.
      await acknowledged;
      return client.ask(route, { body } as Input<typeof route>, {
        ...sending,
        key: newKey(),
        continues: nthOf(sending.signal, `${route} ${purchaseOf(body)}`),
      });
    },
    over(call, received) {
      const leave = (): void => void underWay.delete(call);
      if (received === undefined || call.aborted) return leave();
      // By the next turn of the event loop the result has been written to the host.
      const notified = nextTurn()
        .then(() => acknowledge(client, received))
        .finally(leave);
      acknowledged = Promise.all([acknowledged, notified]);
    },
  };
};

const purchaseOf = (body: object | undefined): string =>
  JSON.stringify(Object.entries(body ?? {}).filter(([field]) => !fieldsNotCompared.has(field)));
