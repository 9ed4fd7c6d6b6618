// Pays an MCP server's demand at the treasury: one idempotency key for each call, and never a second payment for it. A
// call that is repeated, also to a restarted proxy, goes on with the payment whose answer never reached the host.
import { setTimeout as wait } from 'node:timers/promises';
import type { AgentClient, Answer } from '../../client/agent-client.ts';
import { acknowledge } from '../../client/fetch-times.ts';
import { AppError } from '../../errors.ts';
import type { Demand } from './demand.ts';
import type { Proof } from './repeated.ts';

export interface Wanted {
  demand: Demand;
  /** SHA-256, in hex, of the request that is paid for. */
  request: string;
  /** For the owner: untrusted text. */
  description: string;
}

/** One call's payment. */
export interface Payment {
  /** Resolves once it can be shown to the server. @param onHeld called with the owner's approval that it waits for */
  proof(onHeld: (approval: Held) => void): Promise<Proof>;
  /** The id, once the treasury has given it. */
  id(): string | null;
  /** The answer that it bought has reached the host. The next equal call is then a new purchase. */
  received(): Promise<void>;
  /** The call is over without an answer: an equal one goes on with this payment. */
  leave(): void;
}

export interface Held {
  approvalId: string;
  expiresAt: string;
}

interface PaymentsDeps {
  client: AgentClient;
  /** The service that is paid: `mcp:NAME` or a URL. */
  resource: string;
  newKey(): string;
}

/** The first request is short, since an equal call may wait for its outcome. */
const [firstSeconds, furtherSeconds] = [5, 40];
const betweenMs = 250;

export const createPayments = ({ client, resource, newKey }: PaymentsDeps) => {
  /** Equal calls under way, by their request, in their order. */
  const underWay = new Map<string, Promise<unknown>[]>();

  return ({ demand, request, description }: Wanted): Payment => {
    const body = { demand: demand.fields, resource, request, description };
    const key = newKey();
    const earlier = underWay.get(request) ?? [];
    // The treasury passes over the payments of as many equal calls. It has to know those payments first.
    const sending = { key, continues: earlier.length + 1 };
    let id: string | null = null;
    const ask = async (waitSeconds: number): Promise<Answer<'pay'>> => {
      const answer = await client.ask('pay', { body }, { ...sending, waitSeconds });
      id = answer.body.paymentId;
      return answer;
    };
    const first = Promise.allSettled(earlier).then(() => ask(firstSeconds));
    first.catch(() => {});
    underWay.set(request, [...earlier, first]);
    const leave = (): void => {
      const left = (underWay.get(request) ?? []).filter((one) => one !== first);
      if (left.length === 0) underWay.delete(request);
      else underWay.set(request, left);
    };
    return {
      async proof(onHeld) {
        for (let answer = await first; ; answer = await ask(furtherSeconds)) {
          const { body: said } = answer;
          if (said.proof !== undefined) return said.proof;
          if (answer.status === 200) throw notShown(said.paymentId);
          const { approvalId, expiresAt } = answer.body;
          if (approvalId !== undefined && expiresAt !== undefined) onHeld({ approvalId, expiresAt });
          // The treasury does not hold its answer while the outcome cannot be proved yet.
          await wait(betweenMs);
        }
      },
      id: () => id,
      async received() {
        if (id !== null) await acknowledge(client, id);
        leave();
      },
      leave,
    };
  };
};

const notShown = (paymentId: string): AppError =>
  new AppError('payment_failed', 'It is paid, and cannot be shown to the server.', { paymentId });
