// Linking a machine: it asks, a person whom the owner trusts agrees in a browser, and the machine gets an agent's API
// key. Invalid and expired tokens get identical answers.
import { timingSafeEqual } from 'node:crypto';
import { newPairingCode } from '../../contract/sign-in/pairing-code.ts';
import type { Body, Reply } from '../../contract/schemas.ts';
import { AppError } from '../../errors.ts';
import { addNotice } from '../notices/add-notice.ts';
import { digestOf, newToken } from '../../lib/token.ts';
import { givesWay, shownNext, type Waiting } from '../../lib/waiting-room.ts';
import { agentNamed, done, type EngineContext } from '../calls/call.ts';
import { issueKey, newApiKey } from './credentials.ts';
import { newPollSecret, openWith, sealFor } from './link-seal.ts';
import type { Caller, Link, SomeOperations } from '../ports.ts';
import { iso } from '../calls/views.ts';
import { deployAgent } from './agents.ts';
import { linkIsOver, linkNamed, liveLink } from './path.ts';

type Has<T extends keyof EngineContext> = Pick<EngineContext, T>;

const lifetimeMs = 10 * 60_000;
/** The contract's two seconds, less a margin for a delay of the poll before. */
const betweenPollsMs = 1_900;

/** Sessions that wait for the owner, newest first. */
export const pendingLinks = ({ store, time }: Has<'store' | 'time'>): Link[] =>
  store.links.list().filter((link) => link.status === 'pending' && link.expiresAt > time.now());

export const linkOperations = (context: EngineContext) => {
  const { store, settings, time, newId, publish, log, knownLinks } = context;
  const polls = createPollLimit(time.now);
  /** Sessions that their machines poll, and sessions that the owner was shown. */
  const polled = new Set<string>();
  const shown = new Set<string>();

  const view = (link: Link): Reply<'denyLink'> => ({
    linkId: link.id,
    machine: link.machine,
    code: link.code,
    agentId: link.agentId,
    status: link.status === 'pending' && link.expiresAt <= time.now() ? 'expired' : link.status,
    viaPublicAddress: link.door === 'public',
    createdAt: iso(link.createdAt),
    expiresAt: iso(link.expiresAt),
  });
  const announce = (link: Link): void => publish({ type: 'link', link: view(link) });

  const oldestFirst = (waiting: readonly Link[]): (Waiting & { id: string })[] =>
    waiting.toReversed().map(({ id, door }) => ({
      id,
      door,
      isKnown: knownLinks.has(id),
      isShown: shown.has(id),
      isPolled: polled.has(id),
    }));
  /** Call it inside a transaction. */
  const makeRoom = (room: Pick<Waiting, 'isKnown' | 'door'>): void => {
    const first = givesWay(oldestFirst(markedLinks()), room);
    if (first !== undefined) store.links.drop(first.id);
  };
  /** The pending sessions. It forgets the marks of all others. */
  const markedLinks = (): Link[] => {
    const waiting = pendingLinks(context);
    const known = new Set(waiting.map(({ id }) => id));
    for (const marks of [shown, polled, knownLinks])
      for (const id of marks) if (!known.has(id)) marks.delete(id);
    return waiting;
  };

  const complete = async (
    link: Link,
    { furtherKey, ...wanted }: Body<'completeLink'>,
    caller: Caller,
  ): Promise<Reply<'completeLink'>> => {
    const { agentId } = wanted;
    const apiKey = newApiKey();
    const sealedKey = await sealFor(link.publicKey, apiKey);
    const label = `linked: ${link.machine}`;
    const decided = store.atomically(() => {
      refuseRemoved(context, caller);
      if (linkNamed(context, link.id).expiresAt <= time.now()) throw linkIsOver();
      const won = store.links.decide(link.id, { status: 'complete', agentId, sealedKey });
      if (won === null) throw new AppError('conflict', 'This link session was decided already.');
      if (furtherKey) issueKey(context, agentNamed(store, agentId).agentId, label, { apiKey });
      else deployAgent(context, wanted, { label, apiKey });
      addNotice(context, { kind: 'linked', agentId, machine: link.machine });
      return won;
    });
    log.info({ linkId: link.id, agentId, by: whoIs(caller), furtherKey }, 'a machine was linked');
    publish({ type: 'agent', agentId });
    announce(decided);
    return { status: 'complete', agentId };
  };

  /** The answer for the holder of the poll secret. */
  const result = async (link: Link, pollSecret: string) => {
    const { agentId, publicKey, sealedKey } = link;
    if (agentId === null || sealedKey === null) return {};
    const { wallet } = agentNamed(store, agentId);
    const apiKey = await openWith(pollSecret, publicKey, sealedKey);
    return { agentId, walletAddress: wallet, apiKey, owner: settings.owner };
  };

  return {
    async openLink({ body: { machine = 'a machine', agentId = null }, caller, door }) {
      const token = newToken('lnk_');
      const { pollSecret, publicKey } = await newPollSecret();
      const now = time.now();
      const isKnown = caller.role === 'nobody' && caller.known !== null;
      const link: Link = {
        id: newId('link'),
        machine,
        code: newPairingCode(),
        agentId,
        status: 'pending',
        door: door.name,
        tokenHash: digestOf(token),
        pollHash: digestOf(pollSecret),
        publicKey,
        sealedKey: null,
        createdAt: now,
        expiresAt: now + lifetimeMs,
      };
      // A group commit: a flood of sessions shares its writes to the disk.
      const { durable } = store.grouped(() => {
        store.links.forget(now);
        makeRoom({ isKnown, door: door.name });
        store.links.insert(link);
        if (isKnown) knownLinks.add(link.id);
        addNotice(
          context,
          { kind: 'login', asks: 'link', by: machine, subject: link.id },
          Math.round((now + link.expiresAt) / 2),
        );
      });
      await durable;
      announce(link);
      const linkUrl = `${door.url}/link?token=${token}`;
      return done({ token, linkUrl, expiresAt: iso(link.expiresAt), code: link.code, pollSecret });
    },

    listLinks() {
      const waiting = markedLinks();
      for (const { id } of shownNext(oldestFirst(waiting))) shown.add(id);
      return done({ links: waiting.map(view) });
    },

    async getLink({ params, caller }) {
      const link = liveLink(context, params.token);
      if (link === undefined) return done(over);
      const bearer = caller.role === 'nobody' ? caller.bearer : null;
      const pollSecret = bearer !== null && timingSafeEqual(link.pollHash, digestOf(bearer)) ? bearer : null;
      polls.count(`${link.id} ${pollSecret === null ? 'anybody' : 'holder'}`);
      if (pollSecret !== null) polled.add(link.id);
      if (link.status === 'denied') return done(pollSecret === null ? over : { ...over, denied: true });
      const expiresAt = iso(link.expiresAt);
      if (link.status === 'complete') {
        const own =
          pollSecret === null ? {} : { ...(await result(link, pollSecret)), network: settings.network };
        return done({ status: 'complete', expiresAt, ...own });
      }
      const { code, machine, agentId: wantedAgentId } = link;
      return done({ status: 'pending', expiresAt, code, machine, wantedAgentId });
    },

    async completeLink({ params, body, caller }) {
      const link = liveLink(context, params.token);
      if (link === undefined) throw linkIsOver();
      if (caller.role === 'identity' && caller.linkId !== link.id)
        throw new AppError('unauthorized', 'This sign-in is for another link session. Sign in again.');
      return done(await complete(link, body, caller));
    },

    grantLink: async ({ params, body, caller }) =>
      done(await complete(linkNamed(context, params.linkId), body, caller)),

    denyLink({ params }) {
      const denied = store.atomically(() => store.links.decide(params.linkId, { status: 'denied' }));
      if (denied === null) throw new AppError('conflict', 'This link session was decided already.');
      announce(denied);
      return done(view(denied));
    },
  } satisfies SomeOperations;
};

/** The one answer for a session that is over or never was. */
const over: Reply<'getLink'> = { status: 'expired', expiresAt: null };

/** Call it in the transaction: the owner may have removed the identity meanwhile. @throws AppError `unauthorized` */
const refuseRemoved = ({ store }: Has<'store'>, caller: Caller): void => {
  if (caller.role !== 'identity') return;
  const identity = store.identities.get(caller.identityId);
  if (identity === undefined || identity.removedAt !== null)
    throw new AppError('unauthorized', 'The owner has removed this identity.');
};

const whoIs = (caller: Caller): string => (caller.role === 'identity' ? caller.identityId : caller.role);

/** One poll in two seconds for each name. */
const createPollLimit = (now: () => number) => {
  const polled = new Map<string, number>();
  return {
    /** @throws AppError `too_many_requests` */
    count(who: string): void {
      const last = polled.get(who) ?? -Infinity;
      if (now() - last < betweenPollsMs)
        throw new AppError('too_many_requests', 'Wait two seconds before you ask again.', {
          retryAfterSeconds: 2,
        });
      for (const [one, at] of polled) if (now() - at > lifetimeMs) polled.delete(one);
      polled.set(who, now());
    },
  };
};
