// Parses the link page's URL: opened by the terminal, by the link in an e-mail, or on the way back from the identity
// provider.

/** A proof that signs in without any input. */
export type Proof = { kind: 'email'; secret: string } | { kind: 'provider'; state: string; callback: string };

export interface Arrival {
  /** Null when the URL names no link session. */
  token: string | null;
  proof: Proof | null;
  /** Why the identity provider's answer is not used. */
  problem: string | null;
}

/** Kept by the tab while its browser is at the identity provider. */
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
  // Only the answer to this tab's own request is passed on; `state` says so.
  if (journey === null || query.get('state') !== journey.state)
    return {
      token: journey?.token ?? null,
      proof: null,
      problem: 'That sign-in was not started in this tab. You are not signed in.',
    };
  const callback = search.replace(/^\?/, '');
  return {
    token: journey.token,
    proof: { kind: 'provider', state: journey.state, callback },
    problem: null,
  };
};
