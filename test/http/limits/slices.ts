// Keys that an agent delegates, for the tests of them.
import type { Answer, Client, Sent } from '../../harness/http-client.ts';

export interface Slice {
  keyId: string;
  key: string;
  client: Client;
  reply: Answer['body'];
  pay(amount: string, sent?: Sent): Promise<Answer>;
}

/** A key that this caller delegates. @param wanted its label, its end and its limits */
export const delegate = async (by: Client, agentId: string, wanted: object): Promise<Slice> => {
  const { status, text, body: reply } = await by.post(`/v1/agents/${agentId}/delegated-keys`, wanted);
  if (status !== 200) throw new Error(text);
  const key = String(reply['apiKey']);
  const client = by.as(key);
  const paid = { service: 'sandbox-weather', currency: 'USDC', description: 'for a task' };
  const pay = (amount: string, sent: Sent = {}) =>
    client.post(`/v1/agents/${agentId}/pay`, { ...paid, amount }, sent);
  return { keyId: String(reply['keyId']), key, client, reply, pay };
};

/** Lets the agent delegate. */
export const allowDelegation = async (owner: Client, agentId: string): Promise<void> => {
  const { status, text } = await owner.post(`/v1/agents/${agentId}/delegation`, { allowed: true });
  if (status !== 200) throw new Error(text);
};
