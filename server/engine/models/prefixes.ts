// The tokens that suppliers reported for the beginnings of conversations. The next request of a conversation repeats its beginning, and
// so is bounded by the tokens that this beginning was, instead of by its bytes. In memory alone.

/** Conversations with a model that are remembered for an agent. */
const mostKept = 64;
/** Answers that a later request may name as the one before it. */
const mostResponses = 10_000;

interface Beginning {
  digest: string;
  /** The most tokens of what follows it in this request. */
  rest: number;
  images: number;
}

export interface Prefixes {
  /** The most input tokens of a request by its longest known beginning, pictures after it apart; null without one. */
  measured(scope: string, parts: readonly Beginning[]): { tokens: number; images: number } | null;
  /** @param input tokens of the whole request, as the supplier reported them */
  learn(scope: string, parts: readonly Beginning[], input: number): void;
  /** The tokens of an earlier answer and of all before it, for a request that goes on from it; null when it is not known. */
  responseTokens(scope: string, id: string): number | null;
  /** @param tokens of input and output */
  keepResponse(scope: string, id: string, tokens: number): void;
  /** Usage above its bound: what was measured does not hold. */
  forget(scope: string): void;
}

export const createPrefixes = (): Prefixes => {
  const scopes = new Map<string, Map<string, number>>();
  const responses = new Map<string, number>();
  return {
    measured(scope, parts) {
      const known = scopes.get(scope);
      const found = parts.findLast(({ digest }) => known?.has(digest) === true);
      if (known === undefined || found === undefined) return null;
      const tokens = known.get(found.digest) ?? 0;
      return { tokens: tokens + found.rest, images: found.images };
    },
    learn(scope, parts, input) {
      const whole = parts.at(-1);
      if (whole === undefined) return;
      const known = scopes.get(scope) ?? new Map<string, number>();
      known.delete(whole.digest);
      known.set(whole.digest, input);
      const [oldest] = known.keys();
      if (known.size > mostKept && oldest !== undefined) known.delete(oldest);
      scopes.delete(scope);
      scopes.set(scope, known);
      const [stale] = scopes.keys();
      if (scopes.size > 1_000 && stale !== undefined) scopes.delete(stale);
    },
    responseTokens: (scope, id) => responses.get(`${scope} ${id}`) ?? null,
    keepResponse(scope, id, tokens) {
      responses.set(`${scope} ${id}`, tokens);
      const [oldest] = responses.keys();
      if (responses.size > mostResponses && oldest !== undefined) responses.delete(oldest);
    },
    forget: (scope) => void scopes.delete(scope),
  };
};
