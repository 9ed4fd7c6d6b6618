// What the operations share: how they answer, and what they read of their caller.
import type { RouteName } from '../contract/routes.ts';
import { AppError } from '../errors.ts';
import type { Agent, Caller, Store } from './ports.ts';
import type { Asker, Idempotency } from './intent.ts';
import type { Context } from './context.ts';
import type { Funds } from './funds.ts';
import type { Machine } from './payment.ts';

/** The engine's context with the parts that are made of it: what the operations work with. */
export interface EngineContext extends Context {
  funds: Funds;
  machine: Machine;
}

export const done = <B>(body: B) => ({ kind: 'done' as const, body });
export const accepted = <B>(body: B) => ({ kind: 'accepted' as const, body });

export const keyIdOf = (caller: Caller): string | null => (caller.role === 'agent' ? caller.keyId : null);

/** @throws AppError `not_found` */
export const agentNamed = ({ agents }: Pick<Store, 'agents'>, agentId: string): Agent => {
  const agent = agents.get(agentId);
  if (agent === undefined || agent.archivedAt !== null) {
    throw new AppError('not_found', `There is no agent ${agentId}.`);
  }
  return agent;
};

/** An agent's reason as part of what the owner is shown. */
export const reasonShown = ({ reason }: { reason?: string | null | undefined }): { reason?: string } =>
  reason == null ? {} : { reason };

export const idempotencyOf = (
  { key, body }: { key: string | null; body: unknown },
  scope: string,
  route: RouteName,
): Idempotency | null => (key === null ? null : { scope, key, route, body });

export const askerOf = (
  call: { caller: Caller; key: string | null; body: unknown },
  scope: string,
  route: RouteName,
): Asker => ({ keyId: keyIdOf(call.caller), idempotency: idempotencyOf(call, scope, route) });
