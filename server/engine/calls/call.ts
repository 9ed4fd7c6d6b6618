// Shared by the operations: their answers, and the look-up of the agent and the asker of a call.
import type { RouteName } from '../../contract/routes.ts';
import { AppError } from '../../errors.ts';
import { wishOf } from '../payment/machine/continuation.ts';
import type { Agent, Call, Caller, LastSeen, Store } from '../ports.ts';
import type { Idempotency } from '../payment/decision/idempotency.ts';
import type { Asker } from '../payment/decision/intent.ts';
import type { Context } from '../payment/context.ts';
import type { Funds } from '../records/funds.ts';
import type { Machine } from '../payment/machine/machine.ts';

/** The context of the operations: the engine's, with the parts that are made of it. */
export interface EngineContext extends Context {
  funds: Funds;
  machine: Machine;
  lastSeen: LastSeen;
}

export const done = <B>(body: B) => ({ kind: 'done' as const, body });
export const accepted = <B>(body: B) => ({ kind: 'accepted' as const, body });

export const keyIdOf = (caller: Caller): string | null => (caller.role === 'agent' ? caller.keyId : null);

/** An agent that was not archived. @throws AppError `not_found` */
export const agentNamed = (store: Pick<Store, 'agents'>, agentId: string): Agent =>
  notArchived(agentOnRecord(store, agentId));

/** An agent, archived or not, for requests that are answered in both cases. @throws AppError `not_found` */
export const agentOnRecord = ({ agents }: Pick<Store, 'agents'>, agentId: string): Agent => {
  const agent = agents.get(agentId);
  if (agent === undefined) throw noAgent(agentId);
  return agent;
};

/** Call it after looking up the idempotency key: a replay gets its old answer. @throws AppError `not_found` */
export const notArchived = (agent: Agent): Agent => {
  if (agent.archivedAt !== null) throw noAgent(agent.agentId);
  return agent;
};

const noAgent = (agentId: string): AppError => new AppError('not_found', `There is no agent ${agentId}.`);
/** Idempotency keys, requests to resume and history belong to the agent or the treasury, or to a delegated key. */
const principalOf = (caller: Caller, scope: string): string =>
  caller.role === 'agent' && caller.keyLevel > 0 ? `key:${caller.keyId}` : scope;

export const idempotencyOf = (
  { key, body }: { key: string | null; body: unknown },
  scope: string,
  route: RouteName | 'proxy',
): Idempotency | null => (key === null ? null : { scope, key, route, body });

export const askerOf = (
  call: Pick<Call<'fetch'>, 'caller' | 'key' | 'continues' | 'gone'> & {
    body: unknown;
  },
  ownScope: string,
  route: RouteName | 'proxy',
): Asker => {
  const scope = principalOf(call.caller, ownScope);
  return {
    keyId: keyIdOf(call.caller),
    idempotency: idempotencyOf(call, scope, route),
    wish: wishOf(call, call.caller.role === 'owner' ? `owner of ${scope}` : scope, route),
  };
};
