// Agents' credentials, and the ways by which they buy: the paid fetch and the proxy.
import type { RequestHandler } from 'express';
import { isLiveKey, keyByFingerprint, keyOf } from '../engine/api/credentials.ts';
import { liveLink } from '../engine/api/path.ts';
import type { Operation } from '../engine/ports.ts';
import type { Credentials } from '../http/auth.ts';
import { createRefuseSecrets } from '../http/own-secrets.ts';
import { createModelRoutes } from '../http/models.ts';
import { createBodies } from '../http/proxy/body.ts';
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

/**
 * The ways by which an agent's request goes out: to a seller, neither with a secret of ours, the paid fetch and the reverse
 * proxy that pays; and to a language model.
 * @param isOwners for a token of the owner's that is in force
 */
export const agentWays = (
  { engine, store, log, isOwners }: Stages & { log: Log; isOwners: (token: string) => boolean },
  credentials: Credentials,
  admission: Turns,
): { fetch: Operation<'fetch'>; proxy: RequestHandler; models: RequestHandler } => {
  const bodies = createBodies();
  const { context, operations } = engine;
  const refuseSecrets = createRefuseSecrets({
    isLive: (token) =>
      isOwners(token) ||
      credentials.knownCaller(token) !== null ||
      credentials.identityOf(token) !== undefined ||
      isLiveKey(store, token, context.time.now()) ||
      liveLink(context, token) !== undefined,
    leaking(caller, agentId, origin) {
      const apiKey = caller.role === 'agent' ? caller.keyId : null;
      log.warn({ agent: agentId, apiKey, origin }, 'a request to a seller held a secret of ours');
      const message = `A request of ${agentId} to ${origin} held a secret of this treasury. It was not sent.`;
      context.publish({ type: 'warning', code: 'secret_withheld', message });
    },
  });
  return {
    fetch(call) {
      refuseSecrets(call.caller, call.params.agentId, call.body);
      return operations.fetch(call);
    },
    proxy: createProxy({ bodies, credentials, refuseSecrets, proxy: engine.proxy, admission, log }),
    models: createModelRoutes({ bodies, credentials, gateway: engine.models, admission, log }),
  };
};
