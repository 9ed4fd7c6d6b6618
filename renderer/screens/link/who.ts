// The person at this page. The credential to complete the link stays in this page's memory.
import { routes, urlOf } from '../../../server/contract/routes.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { openSession, send, type Session } from '../../api/http.ts';
import { keepSession, keptSession } from '../../api/kept-session.ts';
import { askLink } from '../../api/link.ts';
import { askForHost, askForProof } from '../../api/proof.ts';
import { askTabs, joinTabs } from '../../api/tabs.ts';
import type { Proof } from './arrival.ts';

export interface Who {
  /** Bearer that completes the link. */
  bearer: string;
  /** A name to show. */
  name: string;
  /** The owner's; null for an identity. */
  owner: Session | null;
  /** Its session was opened for this link only, and is ended after it. */
  isForThis: boolean;
}

const ownerWith = (session: Session, isForThis: boolean): Who => ({
  bearer: session.session,
  name: 'the owner',
  owner: session,
  isForThis,
});

/** The owner, if this browser is signed in to the dashboard. */
export const findOwner = async (): Promise<Who | null> => {
  const kept = keptSession();
  const isProven =
    kept !== null &&
    (await askForProof(kept.session).then(
      () => true,
      () => false,
    ));
  if (isProven) return ownerWith(kept, false);
  joinTabs({ admitting: () => null, onSignIn() {} });
  const joined = await askTabs().catch(() => null);
  if (joined === null) return null;
  keepSession(joined);
  return ownerWith(joined, false);
};

export const whoOf = ({ token, identity }: Reply<'proveWallet'>): Who => ({
  bearer: token,
  name: identity.label,
  owner: null,
  isForThis: false,
});

export const provePassphrase = async (passphrase: string): Promise<Who> =>
  ownerWith(await openSession({ passphrase }), true);

export const proveArrival = async (token: string, proof: Proof): Promise<Who> =>
  whoOf(
    proof.kind === 'email'
      ? await askLink('proveEmail', token, { body: { secret: proof.secret } })
      : await askLink('proveProvider', token, { body: { state: proof.state, callback: proof.callback } }),
  );

/** Before the bearer is sent: this page may have been open for long. @throws SessionOver; OtherHost; Unreachable */
export const checkHost = ({ owner }: Who): Promise<void> =>
  owner === null ? askForHost() : askForProof(owner.session);

/** Failures are ignored: the session expires by itself, and its token is dropped here. */
export const part = async (who: Who): Promise<void> => {
  const { owner, isForThis } = who;
  if (owner === null || !isForThis) return;
  const { method, path } = routes.endSession;
  const headers = { Authorization: `Bearer ${owner.session}`, 'Content-Type': 'application/json' };
  await checkHost(who)
    .then(() => send(urlOf(path, owner.owner, {}), { method, headers, body: '{}' }))
    .catch(() => undefined);
};
