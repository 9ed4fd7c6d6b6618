// Agents: created, listed, renamed, stopped, resumed, archived; and their keys.
import { AppError } from '../../errors.ts';
import { formatUsdc, usdc } from '../../money.ts';
import type { Body, Reply } from '../../contract/schemas.ts';
import { announceApproval, openRequest, refuseApproval } from '../approval.ts';
import { agentNamed, accepted, askerOf, done } from '../api.ts';
import { carryOut } from '../carry-out.ts';
import { refuseWhenUnable, type Context } from '../context.ts';
import { issueKey } from '../credentials.ts';
import { resume, suspend } from '../stop.ts';
import type { AgentKey, Approval, Operation } from '../ports.ts';
import { agentView, iso, keyView } from '../views.ts';
import { recallOf } from './transfers.ts';

const rotationMs = 24 * 3_600_000;

type Names =
  | 'deploy'
  | 'listAgents'
  | 'balance'
  | 'rename'
  | 'kill'
  | 'resume'
  | 'archive'
  | 'listKeys'
  | 'addKey'
  | 'rotateKey'
  | 'revokeKey';
export type AgentOperations = { [N in Names]: Operation<N> };

/** Creates an agent, its policy and its first key; inside a transaction. @throws AppError `conflict`, `locked` */
export const deployAgent = (context: Context, body: Body<'deploy'>): Reply<'deploy'> & { keyId: string } => {
  const { store, keys, time } = context;
  refuseWhenUnable(context);
  const { agentId, dailyBudget, maxPerPayment, displayName = agentId } = body;
  if (store.agents.get(agentId) !== undefined) {
    throw new AppError('conflict', `agentId: there is an agent ${agentId} already.`);
  }
  const now = time.now();
  const agent = store.agents.insert(
    { agentId, displayName, status: 'active', statusReason: null, createdAt: now, archivedAt: null },
    keys.address,
  );
  store.policies.set(
    agentId,
    {
      dailyBudget,
      maxPerPayment,
      cooldownSeconds: 0,
      allowedServices: [],
      approveAbove: null,
      newPayees: 'allow',
      approvalMinutes: 15,
    },
    now,
  );
  const { keyId, mcpConfig } = issueKey(context, agentId, 'first key');
  return {
    keyId,
    agent: agentView(agent),
    mcpConfig,
    nextSteps: [
      `Allocate USDC to it: POST /v1/agents/${agentId}/allocate`,
      'Put mcpConfig into the configuration of the agent’s MCP host; the key in it is shown only now.',
      `Let it pay: POST /v1/agents/${agentId}/pay`,
    ],
  };
};

export const agentOperations = (context: Context): AgentOperations => {
  const { store, settings, time, funds, outcomes, publish } = context;

  const asked = (approval: Approval) => {
    announceApproval(context, approval.id);
    return accepted({ approvalId: approval.id, status: approval.status, expiresAt: iso(approval.expiresAt) });
  };

  const keyNamed = (agentId: string, keyId: string): AgentKey => {
    const key = store.keys.list(agentId).find(({ id }) => id === keyId);
    if (key === undefined) throw new AppError('not_found', `There is no key ${keyId} of this agent.`);
    return key;
  };

  const revoke = (key: AgentKey): void => {
    if (key.revokedAt === null) store.keys.end(key.id, { revokedAt: time.now() });
  };

  return {
    deploy({ caller, body }) {
      if (caller.role === 'agent') {
        const { agentId, dailyBudget, maxPerPayment, displayName } = body;
        if (store.agents.get(agentId) !== undefined) throw new AppError('conflict', `agentId: there is an agent ${agentId} already.`);
        const wanted = {
          newAgentId: agentId,
          dailyBudget: formatUsdc(dailyBudget),
          maxPerPayment: formatUsdc(maxPerPayment),
          displayName: displayName ?? agentId,
        };
        return asked(store.atomically(() => openRequest(context, 'deploy', caller.agentId, caller.keyId, wanted)));
      }
      const { agent, mcpConfig, nextSteps } = store.atomically(() => deployAgent(context, body));
      publish({ type: 'agent', agentId: agent.agentId });
      return done({ agent, mcpConfig, nextSteps });
    },

    listAgents: () =>
      done({
        agents: store.agents.list().map((agent) => ({
          ...agentView(agent),
          balance: formatUsdc(store.wallets.get(agent.wallet)?.balance ?? usdc(0n)),
          archived: agent.archivedAt !== null,
        })),
      }),

    async balance({ params }) {
      const { agentId, wallet } = agentNamed(store, params.agentId);
      const { balance } = await funds.balance(wallet);
      return done({ agentId, walletAddress: wallet, balance: formatUsdc(balance), currency: 'USDC' });
    },

    rename({ params, body }) {
      const { agentId } = agentNamed(store, params.agentId);
      const { displayName } = store.atomically(() => store.agents.update(agentId, { displayName: body.displayName }));
      publish({ type: 'agent', agentId });
      return done({ agentId, displayName });
    },

    kill({ caller, params }) {
      const { agentId } = agentNamed(store, params.agentId);
      suspend(context, agentId, caller.role === 'agent' ? 'by its own wish' : null);
      return done({ agentId, status: agentNamed(store, agentId).status });
    },

    resume({ caller, params }) {
      const { agentId, status } = agentNamed(store, params.agentId);
      if (status === 'active') return done({ agentId, status });
      if (caller.role === 'agent') {
        return asked(store.atomically(() => openRequest(context, 'resume', agentId, caller.keyId, { wish: 'resume' })));
      }
      return done({ agentId, status: resume(context, agentId).status });
    },

    async archive(call) {
      const agent = agentNamed(store, call.params.agentId);
      // Stopped first, so that nothing is left behind by a payment in between.
      suspend(context, agent.agentId, 'archived');
      await funds.refresh([agent.wallet]);
      if (store.transfers.openOf(agent.agentId).some((row) => row.state !== 'seen')) {
        throw new AppError('conflict', 'Some of its payments are still open. Archive it again when they are settled.');
      }
      const wallet = store.wallets.get(agent.wallet);
      const rest = wallet === undefined ? 0n : wallet.balance - wallet.pending;
      if (rest > 0n) {
        const asker = askerOf(call, `agent:${agent.agentId}`, 'archive');
        const recalled = await carryOut(context, asker, () => recallOf(settings.owner, agent, rest), call.waitMs);
        if (recalled.state !== 'seen' && recalled.state !== 'final') {
          throw new AppError('conflict', 'Its USDC is not back in the treasury yet. Archive it again in a moment.');
        }
      }
      const archived = store.atomically(() => {
        for (const key of store.keys.list(agent.agentId)) revoke(key);
        return store.agents.update(agent.agentId, { archivedAt: time.now() });
      });
      for (const { id } of store.keys.list(agent.agentId)) outcomes.endWaitsOf(id);
      publish({ type: 'agent', agentId: agent.agentId });
      return done({ ...agentView(archived), recalled: formatUsdc(usdc(rest)) });
    },

    listKeys({ params }) {
      const { agentId } = agentNamed(store, params.agentId);
      return done({ keys: store.keys.list(agentId).map(keyView) });
    },

    addKey({ params, body }) {
      const { agentId } = agentNamed(store, params.agentId);
      return done(store.atomically(() => issueKey(context, agentId, body.label ?? 'further key')));
    },

    rotateKey({ params, body }) {
      const { agentId } = agentNamed(store, params.agentId);
      const old = keyNamed(agentId, params.keyId);
      if (old.revokedAt !== null) throw new AppError('conflict', 'keyId: this key was revoked. Add a new one instead.');
      const issued = store.atomically(() => {
        if (body.now) revoke(old);
        else store.keys.end(old.id, { expiresAt: time.now() + rotationMs });
        return issueKey(context, agentId, old.label);
      });
      if (body.now) outcomes.endWaitsOf(old.id);
      return done(issued);
    },

    revokeKey({ params }) {
      const { agentId } = agentNamed(store, params.agentId);
      const key = keyNamed(agentId, params.keyId);
      const cancelled = store.atomically(() => {
        revoke(key);
        return cancelAskedBy(context, key);
      });
      for (const { id } of cancelled) announceApproval(context, id);
      outcomes.endWaitsOf(key.id);
      return done(keyView(keyNamed(agentId, key.id)));
    },
  };
};

/** What a revoked key asked for is no longer wanted. */
const cancelAskedBy = (context: Context, key: AgentKey): Approval[] => {
  const asked = context.store.approvals.pending(key.agentId).filter(({ keyId }) => keyId === key.id);
  for (const approval of asked) refuseApproval(context, approval, 'cancelled');
  return asked;
};
