// Agents: created, listed, renamed, stopped, resumed, archived; and their keys.
import { AppError } from '../../errors.ts';
import { formatUsdc, usdc } from '../../money.ts';
import type { Body, Reply } from '../../contract/schemas.ts';
import { announceApproval, openRequest, refuseApproval } from '../approval.ts';
import { agentNamed, accepted, askerOf, done, reasonShown, type EngineContext } from '../api.ts';
import { carryOut } from '../carry-out.ts';
import { refuseWhenUnable } from '../context.ts';
import { issueKey } from '../credentials.ts';
import { refuseBeforeRescan } from '../rescan-mark.ts';
import { resume, suspend } from '../stop.ts';
import type { AgentKey, Approval, Operation } from '../ports.ts';
import { agentView, iso, keyView } from '../views.ts';
import { keyNamed } from './path.ts';
import { readEnds, recallOf } from './transfers.ts';

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
export const deployAgent = (
  context: EngineContext,
  body: Body<'deploy'>,
  { label = 'first key', apiKey }: { label?: string; apiKey?: string } = {},
): Reply<'deploy'> & { keyId: string } => {
  const { store, keys, time } = context;
  refuseWhenUnable(context);
  // Whose wallets are taken already is not known before.
  refuseBeforeRescan(store);
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
  const { keyId, mcpConfig } = issueKey(context, agentId, label, apiKey);
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

export const agentOperations = (context: EngineContext): AgentOperations => {
  const { store, settings, time, funds, outcomes, publish } = context;

  const asked = (approval: Approval) => {
    announceApproval(context, approval.id);
    return accepted({ approvalId: approval.id, status: approval.status, expiresAt: iso(approval.expiresAt) });
  };

  /** Ends keys at once, and what they asked for: it is no longer wanted. Inside a transaction. */
  const revoke = (...keys: AgentKey[]): Approval[] => {
    const ended = new Set(keys.map(({ id }) => id));
    for (const { id, revokedAt } of keys)
      if (revokedAt === null) store.keys.end(id, { revokedAt: time.now() });
    const unwanted = store.approvals.pending().filter(({ keyId }) => keyId !== null && ended.has(keyId));
    for (const approval of unwanted) refuseApproval(context, approval, 'cancelled');
    return unwanted;
  };

  /** After the commit: nobody waits any longer for what a revoked key asked. */
  const announceRevoked = (keys: readonly AgentKey[], cancelled: readonly Approval[]): void => {
    for (const { id } of cancelled) announceApproval(context, id);
    for (const { id } of keys) outcomes.endWaitsOf(id);
  };

  return {
    deploy({ caller, body }) {
      if (caller.role === 'agent') {
        const { agentId, dailyBudget, maxPerPayment, displayName } = body;
        // Whether the name is taken is for the owner to know: an agent sees no other agent.
        const wanted = {
          newAgentId: agentId,
          dailyBudget: formatUsdc(dailyBudget),
          maxPerPayment: formatUsdc(maxPerPayment),
          displayName: displayName ?? agentId,
          ...reasonShown(body),
        };
        return asked(
          store.atomically(() => openRequest(context, 'deploy', caller.agentId, caller.keyId, wanted)),
        );
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
      const { displayName } = store.atomically(() =>
        store.agents.update(agentId, { displayName: body.displayName }),
      );
      publish({ type: 'agent', agentId });
      return done({ agentId, displayName });
    },

    kill({ caller, params }) {
      const { agentId } = agentNamed(store, params.agentId);
      suspend(context, agentId, caller.role === 'agent' ? 'by its own wish' : null);
      return done({ agentId, status: agentNamed(store, agentId).status });
    },

    resume({ caller, params, body }) {
      const { agentId, status } = agentNamed(store, params.agentId);
      if (status === 'active') return done({ agentId, status });
      if (caller.role === 'agent') {
        const wanted = { wish: 'resume', ...reasonShown(body) };
        return asked(store.atomically(() => openRequest(context, 'resume', agentId, caller.keyId, wanted)));
      }
      return done({ agentId, status: resume(context, agentId).status });
    },

    async archive(call) {
      const agent = agentNamed(store, call.params.agentId);
      // Stopped first, so that nothing is left behind by a payment in between.
      suspend(context, agent.agentId, 'archived');
      await funds.refresh([agent.wallet]);
      if (store.transfers.openOf(agent.agentId).some((row) => row.state !== 'seen')) {
        throw new AppError(
          'conflict',
          'Some of its payments are still open. Archive it again when they are settled.',
        );
      }
      const wallet = store.wallets.get(agent.wallet);
      const rest = wallet === undefined ? 0n : wallet.balance - wallet.pending;
      if (rest > 0n) {
        const asker = askerOf(call, `agent:${agent.agentId}`, 'archive');
        const recalled = await carryOut(
          context,
          asker,
          () => recallOf(settings.owner, agent, rest),
          call.waitMs,
        );
        if (recalled.state !== 'seen' && recalled.state !== 'final') {
          throw new AppError(
            'conflict',
            'Its USDC is not back in the treasury yet. Archive it again in a moment.',
          );
        }
        await readEnds(context, recalled);
      }
      const keys = store.keys.list(agent.agentId);
      const { archived, cancelled } = store.atomically(() => ({
        cancelled: revoke(...keys),
        archived: store.agents.update(agent.agentId, { archivedAt: time.now() }),
      }));
      announceRevoked(keys, cancelled);
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
      const old = keyNamed(context, agentId, params.keyId);
      const now = time.now();
      // A second rotation must not give a key that is ending, or has ended, more time.
      if (old.revokedAt !== null || (old.expiresAt !== null && old.expiresAt <= now))
        throw new AppError('conflict', 'keyId: this key is not in force any more. Add a new one instead.');
      const { issued, cancelled } = store.atomically(() => {
        if (!body.now)
          store.keys.end(old.id, { expiresAt: Math.min(now + rotationMs, old.expiresAt ?? Infinity) });
        return { cancelled: body.now ? revoke(old) : [], issued: issueKey(context, agentId, old.label) };
      });
      if (body.now) announceRevoked([old], cancelled);
      return done(issued);
    },

    revokeKey({ params }) {
      const { agentId } = agentNamed(store, params.agentId);
      const key = keyNamed(context, agentId, params.keyId);
      announceRevoked(
        [key],
        store.atomically(() => revoke(key)),
      );
      return done(keyView(keyNamed(context, agentId, key.id)));
    },
  };
};
