// The person at this page. The credential to complete the link stays in this page's memory.
import type { Reply } from '../../../server/contract/schemas.ts';
import { endSession, keptSession, openSession, type Session } from '../../api/http.ts';
import { askLink } from '../../api/link.ts';
import type { Proof } from './arrival.ts';

export interface Who {
  /** Bearer that completes the link. */
  bearer: string;
  /** A name to show. */
  name: string;
  /** Opened for this link only, and ended after it. */
  session: Session | null;
}

/** The owner, if this tab is signed in to the dashboard. */
export const keptOwner = (): Who | null => {
  const kept = keptSession();
  return kept === null ? null : { bearer: kept.session, name: 'the owner', session: null };
};

export const whoOf = ({ token, identity }: Reply<'proveWallet'>): Who => ({
  bearer: token,
  name: identity.label,
  session: null,
});

export const provePassphrase = async (passphrase: string): Promise<Who> => {
  const session = await openSession({ passphrase });
  return { bearer: session.session, name: 'the owner', session };
};

export const proveArrival = async (token: string, proof: Proof): Promise<Who> =>
  whoOf(
    proof.kind === 'email'
      ? await askLink('proveEmail', token, { body: { secret: proof.secret } })
      : await askLink('proveProvider', token, { body: { state: proof.state, callback: proof.callback } }),
  );

/** Failures are ignored: the session expires by itself, and its token is dropped here. */
export const part = async ({ session }: Who): Promise<void> => {
  if (session !== null) await endSession(session).catch(() => undefined);
};
