// Requests to models as rows of the store.
import type { AmountMark, ModelRequest, Store } from '../../../server/engine/ports.ts';
import { usdc } from '../../../server/money.ts';

/** `at` in Unix milliseconds. */
type Made = Pick<ModelRequest, 'id' | 'agentId'> & {
  at: number;
  serviceId?: string;
  model?: string;
  corrects?: string;
  wire?: string;
};

/** Held with a bound of 9 USDC; a correction without one. */
export const heldRequest = ({ modelRequests }: Store, { at, ...made }: Made): void => {
  const bound = usdc(made.corrects === undefined ? 9_000_000n : 0n);
  const to = { serviceId: 'llm:openai', model: 'gpt', wire: 'openai', prices: {}, bound };
  const by = { keyId: 'key', keyPath: [], groupId: null, policyVersion: 1, grantId: null };
  modelRequests.insert({ ...to, ...by, ...made }, null, at);
};

export const settledRequest = (
  store: Store,
  { amount, mark, ...made }: Made & { amount: bigint; mark: AmountMark },
): void => {
  heldRequest(store, made);
  store.modelRequests.end(made.id, { state: 'settled', amount: usdc(amount), mark }, made.at + 1);
};
