// Who is at this page. What they may complete the link with is in this page's memory alone.
import type { Reply } from '../../../server/contract/schemas.ts';
import { endSession, keptSession, openSession, type Session } from '../../api/http.ts';
import { askLink } from '../../api/link.ts';
import type { Proof } from './arrival.ts';

export interface Who {
  /** Bearer for completing the link. */
  bearer: string;
  /** As a person says it. */
  name: string;
  /** Opened for this link alone, and ended after it. */
  session: Session | null;
}

/** The owner, where this tab shows the dashboard too. */
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

/** A session that cannot be ended ends by itself, and nobody holds its token any more. */
export const part = async ({ session }: Who): Promise<void> => {
  if (session !== null) await endSession(session).catch(() => undefined);
};
