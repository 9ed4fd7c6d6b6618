// How somebody came to the link page: by the terminal's address, by the link of an e-mail, or back from the identity
// provider.

/** What signs in without a further word. */
export type Proof = { kind: 'email'; secret: string } | { kind: 'provider'; state: string; callback: string };

export interface Arrival {
  /** Null where the address names no link session. */
  token: string | null;
  proof: Proof | null;
  /** Why what came back from the identity provider is not used. */
  problem: string | null;
}

/** What a tab keeps while its browser is at the identity provider. */
export interface Journey {
  token: string;
  state: string;
}

export const arrivalOf = (search: string, hash: string, journey: Journey | null): Arrival => {
  const query = new URLSearchParams(search);
  const token = query.get('token');
  if (token !== null) {
    const [, secret] = /^#email=([\w-]+)$/.exec(hash) ?? [];
    return { token, proof: secret === undefined ? null : { kind: 'email', secret }, problem: null };
  }
  const isAnswer = query.has('code') || query.has('error');
  if (!isAnswer) return { token: null, proof: null, problem: null };
  // Only the answer to what this tab asked is passed on.
  if (journey === null || query.get('state') !== journey.state)
    return {
      token: journey?.token ?? null,
      proof: null,
      problem: 'The identity provider’s answer belongs to no sign-in of this tab. You are not signed in.',
    };
  const callback = search.replace(/^\?/, '');
  return {
    token: journey.token,
    proof: { kind: 'provider', state: journey.state, callback },
    problem: null,
  };
};
