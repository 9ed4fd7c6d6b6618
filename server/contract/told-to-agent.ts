// An agent's view of a refusal by a node above it: the kind of node, and when to try again. Its id, its name, its
// limits and its sums tell of other agents.

/** Ends the message of a payment that the agent can make anew. The owner reads something else in its place. */
export const payAgain = 'Pay again with a new Idempotency-Key.';

type Details = Readonly<Record<string, unknown>>;

const nodeIn = ({ node }: Details): { kind: unknown } | null =>
  typeof node === 'object' && node !== null && 'kind' in node ? { kind: node.kind } : null;

/** @param details of a refusal; those that name no node above the caller are returned as they are */
export const detailsToldToAgent = (details: Details): Details => {
  const node = nodeIn(details);
  if (node === null) return details;
  const { retryAt, paymentId } = details;
  return {
    node,
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(paymentId === undefined ? {} : { paymentId }),
  };
};
