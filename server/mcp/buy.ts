// Calls that cost money. The treasury knows what this agent asked for and has no answer of: a call made again, also by a
// bridge that was started anew, goes on with the same payment until its result was on its way to the host.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AgentClient, Answer, Sending } from '../client/agent-client.ts';
import { acknowledge } from '../client/fetch-times.ts';
import type { Input } from '../contract/schemas.ts';
import { notPartOfAWish } from '../contract/wishes.ts';

type Buying = 'pay' | 'fetch' | 'generate';

export interface Buyer {
  /** @param call aborted when the host gives the call up. @throws AppError as the treasury refused it */
  buy<N extends Buying>(
    route: N,
    body: Input<N>['body'],
    sending: Sending & { signal: AbortSignal },
  ): Promise<Answer<N>>;
  /**
   * Call it once when a tool's call is over, whatever it bought, as its result is returned. With the payment whose answer
   * is in it, the next such call is another purchase.
   */
  over(call: AbortSignal, received?: string): void;
}

/** @param newKey of each call, so that one whose connection breaks is sent again and done once */
export const createBuyer = (client: AgentClient, newKey: () => string): Buyer => {
  let acknowledged: Promise<unknown> = Promise.resolve();
  /** Of each call under way: what it buys, and which of the equal ones it is. */
  const underWay = new Map<AbortSignal, string>();
  const nthOf = (call: AbortSignal, wish: string): number => {
    const taken = new Set(underWay.values());
    let nth = 1;
    while (taken.has(`${nth} ${wish}`)) nth += 1;
    underWay.set(call, `${nth} ${wish}`);
    return nth;
  };
  return {
    async buy(route, body, sending) {
      // What was received a moment ago must not be gone on with.
      await acknowledged;
      return client.ask(route, { body } as Input<typeof route>, {
        ...sending,
        key: newKey(),
        continues: nthOf(sending.signal, `${route} ${wishOf(body)}`),
      });
    },
    over(call, received) {
      const leave = (): void => void underWay.delete(call);
      if (received === undefined || call.aborted) return leave();
      // By the next turn of the event loop the result was written to the host.
      const told = nextTurn()
        .then(() => acknowledge(client, received))
        .finally(leave);
      acknowledged = Promise.all([acknowledged, told]);
    },
  };
};

const wishOf = (body: object | undefined): string =>
  JSON.stringify(Object.entries(body ?? {}).filter(([field]) => !notPartOfAWish.has(field)));
