// How long a client waits for a paid fetch, and what it says once it has the answer.
import type { Input } from '../contract/schemas.ts';
import type { AgentClient, Sending } from './agent-client.ts';

/** The treasury holds an answer for a minute at most, and so does many an MCP host. */
const [usualSeconds, mostSeconds] = [20, 40];
/** For the answer to the first, unpaid request, and a place among others. */
const unpaidSeconds = 20;

/** What is not there by then is asked for again, under the same key. */
export const fetchTimes = ({
  timeoutSeconds = 0,
}: Pick<NonNullable<Input<'fetch'>['body']>, 'timeoutSeconds'>): Required<
  Pick<Sending, 'waitSeconds' | 'sellerSeconds'>
> => ({
  waitSeconds: Math.min(Math.max(usualSeconds, timeoutSeconds), mostSeconds),
  // A caller that names a time waits so long for what costs nothing, too.
  sellerSeconds: Math.max(unpaidSeconds, timeoutSeconds),
});

/** The answer has arrived: the treasury need not keep it. Lost, this costs nothing but room. */
export const acknowledge = async (client: AgentClient, paymentId: string): Promise<void> => {
  // The agent's own id is filled in by the client.
  const params = { paymentId } as { agentId: string; paymentId: string };
  await client.ask('received', { params }, { repeatable: true }).catch(() => {});
};
