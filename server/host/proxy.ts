// Agents' credentials, and the proxy that they pay through.
import type { RequestHandler } from 'express';
import { isLiveKey, keyByFingerprint, keyOf } from '../engine/api/credentials.ts';
import { liveLink } from '../engine/api/path.ts';
import type { Credentials } from '../http/auth.ts';
import { createProxy } from '../http/proxy/proxy.ts';
import type { Turns } from '../lib/turns.ts';
import type { Log } from '../log.ts';
import type { Built } from './build.ts';
import type { Opened } from './open.ts';

type Stages = Pick<Opened, 'store'> & Pick<Built, 'engine'>;

export const agentCredentials = ({
  engine,
  store,
}: Stages): Pick<Credentials, 'agentOf' | 'seen'> & { knowsKey(fingerprint: string): boolean } => ({
  agentOf: (token) => {
    const key = keyOf(store, token, engine.context.time.now());
    if (key === undefined) return undefined;
    return { agentId: key.agentId, keyId: key.id, keyLevel: key.delegated?.level ?? 0 };
  },
  knowsKey: (fingerprint) => keyByFingerprint(store, fingerprint, engine.context.time.now()) !== undefined,
  seen: ({ agentId, keyId }) => {
    const { time, lastSeen, publish } = engine.context;
    if (lastSeen.note([agentId, keyId], time.now())) publish({ type: 'agent', agentId });
  },
});

/** The reverse proxy that pays, for agents alone. */
export const proxyOf = (
  { engine, store, log, isOwners }: Stages & { log: Log; isOwners: (token: string) => boolean },
  credentials: Credentials,
  admission: Turns,
): RequestHandler => {
  const { context } = engine;
  return createProxy({
    credentials,
    isLive: (token) =>
      isOwners(token) ||
      credentials.knownCaller(token) !== null ||
      credentials.identityOf(token) !== undefined ||
      isLiveKey(store, token, context.time.now()) ||
      liveLink(context, token) !== undefined,
    proxy: engine.proxy,
    leaking({ agentId, keyId }, origin) {
      log.warn(
        { agent: agentId, apiKey: keyId, origin },
        'a request through the proxy held a secret of ours',
      );
      const message = `A request of ${agentId} to ${origin} held a secret of this treasury. It was not sent.`;
      context.publish({ type: 'warning', code: 'secret_withheld', message });
    },
    admission,
    log,
  });
};
