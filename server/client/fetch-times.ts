// How long a client waits for a purchase, and its acknowledgment of the answer.
import type { Input } from '../contract/schemas.ts';
import type { AgentClient, Sending } from './agent-client.ts';

/** The treasury holds a reply for at most a minute, and many MCP hosts wait no longer. */
const [usualSeconds, mostSeconds] = [20, 40];
/** For queueing, and the answer to the first, unpaid request. */
const unpaidSeconds = 20;

/** The caller asks again under the same idempotency key for what is not there in time. */
export const fetchTimes = ({
  timeoutSeconds = 0,
}: Pick<NonNullable<Input<'fetch'>['body']>, 'timeoutSeconds'>): Required<
  Pick<Sending, 'waitSeconds' | 'sellerSeconds'>
> => ({
  waitSeconds: Math.min(Math.max(usualSeconds, timeoutSeconds), mostSeconds),
  // A timeout named by the caller also applies to the unpaid request.
  sellerSeconds: Math.max(unpaidSeconds, timeoutSeconds),
});

/** Tells the treasury that it need not keep the answer. A lost acknowledgment costs only disk space. */
export const acknowledge = async (client: AgentClient, paymentId: string): Promise<void> => {
  // The client fills in the agent's own id.
  const params = { paymentId } as { agentId: string; paymentId: string };
  await client.ask('received', { params }, { repeatable: true }).catch(() => {});
};
