// Calls that cost money. The treasury knows what this agent asked for and has no answer of: a call made again, also by a
// bridge that was started anew, goes on with the same payment until its result was on its way to the host.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AgentClient, Answer, Sending } from '../client/agent-client.ts';
import { acknowledge } from '../client/fetch-times.ts';
import type { Input } from '../contract/schemas.ts';

type Buying = 'pay' | 'fetch' | 'generate';

export interface Buyer {
  /** @throws AppError as the treasury refused it */
  buy<N extends Buying>(route: N, body: Input<N>['body'], sending: Sending): Promise<Answer<N>>;
  /** Call it when the result is returned: the next such call is another purchase. */
  received(paymentId: string, signal: AbortSignal): void;
}

/** @param newKey of each call, so that one whose connection breaks is sent again and done once */
export const createBuyer = (client: AgentClient, newKey: () => string): Buyer => {
  let acknowledged: Promise<unknown> = Promise.resolve();
  return {
    async buy(route, body, sending) {
      // What was received a moment ago must not be gone on with.
      await acknowledged;
      return client.ask(route, { body } as Input<typeof route>, {
        ...sending,
        key: newKey(),
        continues: true,
      });
    },
    received(paymentId, signal) {
      if (signal.aborted) return;
      // By the next turn of the event loop the result was written to the host.
      const told = nextTurn().then(() => acknowledge(client, paymentId));
      acknowledged = Promise.all([acknowledged, told]);
    },
  };
};
