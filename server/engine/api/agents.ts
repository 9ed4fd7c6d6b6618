// Agents and their API keys: creates, lists, renames, suspends and resumes agents; issues, rotates and revokes keys.
import { fieldError } from '../../errors.ts';
import { formatUsdc, usdc } from '../../money.ts';
import { usualPolicy } from '../../contract/limits/policy-fields.ts';
import type { Body, Reply } from '../../contract/schemas.ts';
import { announceApproval } from '../payment/owner/approval.ts';
import { openRequest, reasonShown } from '../payment/owner/ask-owner.ts';
import { accepted, agentNamed, done, type EngineContext } from '../calls/call.ts';
import { createChangeLimit } from '../payment/decision/burst.ts';
import { refuseWhenUnable } from '../payment/context.ts';
import { issueKey } from './credentials.ts';
import { refuseBeforeReconciliation } from '../domain/reconciliation-mark.ts';
import { gapWarning } from '../records/find-agents.ts';
import { announceRevoked, revokeKeys, withDescendants } from '../payment/owner/revoke.ts';
import { resume, suspend } from '../payment/owner/stop.ts';
import type { Approval, SomeOperations } from '../ports.ts';
import { endedView } from '../calls/ended.ts';
import { agentView, iso, keyView, marksView } from '../calls/views.ts';
import { archiveOperation } from './archive.ts';
import { keyNamed } from './path.ts';
import { spendableBy } from './spendable.ts';

const rotationMs = 24 * 3_600_000;

/** Creates an agent, its policy and its first API key, inside a transaction. @throws AppError `conflict`, `locked` */
export const deployAgent = (
  context: EngineContext,
  body: Body<'deploy'>,
  { label = 'first key', apiKey }: { label?: string; apiKey?: string } = {},
): Reply<'deploy'> & { keyId: string } => {
  const { store, keys, time } = context;
  refuseWhenUnable(context);
  // Wallet indexes in use are unknown until reconciliation is done.
  refuseBeforeReconciliation(store);
  const { agentId, dailyBudget, maxPerPayment, displayName = agentId, askBefore = [] } = body;
  if (store.agents.get(agentId) !== undefined) {
    throw fieldError('agentId', `there is an agent ${agentId} already`, 'conflict');
  }
  const now = time.now();
  const agent = store.agents.insert(
    { agentId, displayName, status: 'active', statusReason: null, createdAt: now, archivedAt: null },
    keys.address,
  );
  const newPayees = askBefore.includes('new_payees') ? 'approve' : usualPolicy.newPayees;
  store.policies.set(agentId, { ...usualPolicy, dailyBudget, maxPerPayment, newPayees }, now);
  if (askBefore.includes('unusual')) store.watch.set(agentId, { mode: 'ask', asking: null });
  const { keyId, mcpConfig } = issueKey(context, agentId, label, { apiKey });
  const warning = gapWarning(store);
  return {
    ...(warning === null ? {} : { warning }),
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

export const agentOperations = (context: EngineContext) => {
  const { store, time, funds, publish, lastSeen } = context;
  const changes = createChangeLimit('change its own name');

  const asked = (approval: Approval) => {
    announceApproval(context, approval.id);
    return accepted({ approvalId: approval.id, status: approval.status, expiresAt: iso(approval.expiresAt) });
  };

  return {
    deploy({ caller, body }) {
      if (caller.role === 'agent') {
        const { agentId, dailyBudget, maxPerPayment, displayName } = body;
        // Only the owner learns whether the name is taken: an agent sees no other agent.
        const wanted = {
          newAgentId: agentId,
          dailyBudget: formatUsdc(dailyBudget),
          maxPerPayment: formatUsdc(maxPerPayment),
          displayName: displayName ?? agentId,
          ...reasonShown(body),
        };
        return asked(store.atomically(() => openRequest(context, 'deploy', caller, wanted)));
      }
      const { keyId: _, ...deployed } = store.atomically(() => deployAgent(context, body));
      publish({ type: 'agent', agentId: body.agentId });
      return done(deployed);
    },

    listAgents: () =>
      done({
        agents: store.agents.list().map((agent) => ({
          ...agentView(agent),
          ...marksView(agent),
          balance: formatUsdc(store.wallets.get(agent.wallet)?.balance ?? usdc(0n)),
          archived: agent.archivedAt !== null,
        })),
      }),

    async balance({ caller, params }) {
      const { agentId, wallet } = agentNamed(store, params.agentId);
      const read = await funds.balance(wallet);
      // A delegated key learns nothing of the wallet beyond what it can spend itself.
      const isDelegated = caller.role === 'agent' && caller.keyLevel > 0;
      const balance = isDelegated ? spendableBy(context, agentId, caller.keyId) : read.balance;
      return done({ agentId, walletAddress: wallet, balance: formatUsdc(balance), currency: 'USDC' });
    },

    rename({ caller, params, body }) {
      const { agentId, displayName: before } = agentNamed(store, params.agentId);
      if (body.displayName === before) return done({ agentId, displayName: before });
      changes.count(caller, time.now());
      const { displayName } = store.atomically(() =>
        store.agents.update(agentId, { displayName: body.displayName }),
      );
      publish({ type: 'agent', agentId });
      return done({ agentId, displayName });
    },

    markAgent({ params, body }) {
      const { agentId } = agentNamed(store, params.agentId);
      const sent = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      const agent = store.atomically(() => store.agents.update(agentId, sent));
      publish({ type: 'agent', agentId });
      return done({ agentId, ...marksView(agent) });
    },

    kill({ caller, params }) {
      const { agentId } = agentNamed(store, params.agentId);
      const stopped = suspend(context, agentId, caller.role === 'agent' ? 'by its own request' : null);
      return done({ agentId, status: agentNamed(store, agentId).status, ended: endedView(stopped) });
    },

    resume({ caller, params, body }) {
      const { agentId, status } = agentNamed(store, params.agentId);
      if (status === 'active') return done({ agentId, status });
      if (caller.role === 'agent') {
        const wanted = { wish: 'resume', ...reasonShown(body) };
        return asked(
          store.atomically(() => openRequest(context, 'resume', { agentId, keyId: caller.keyId }, wanted)),
        );
      }
      return done({ agentId, status: resume(context, agentId).status });
    },

    archive: archiveOperation(context),

    listKeys({ params }) {
      const { agentId } = agentNamed(store, params.agentId);
      const own = store.keys.list(agentId).filter(({ delegated }) => delegated === null);
      return done({ keys: own.map((key) => keyView(key, lastSeen.of(key.id))) });
    },

    addKey({ params, body }) {
      const { agentId } = agentNamed(store, params.agentId);
      return done(store.atomically(() => issueKey(context, agentId, body.label ?? 'API key')));
    },

    rotateKey({ params, body }) {
      const { agentId } = agentNamed(store, params.agentId);
      const old = keyNamed(context, agentId, params.keyId);
      const now = time.now();
      // A second rotation must not give an API key that is ending, or has ended, more time.
      if (old.revokedAt !== null || (old.expiresAt !== null && old.expiresAt <= now))
        throw fieldError('keyId', 'this key no longer works. Add a new one', 'conflict');
      const ended = body.now ? withDescendants(store, [old]) : [];
      const { issued, cancelled } = store.atomically(() => {
        const key = issueKey(context, agentId, old.label);
        if (!body.now) {
          store.keys.end(old.id, { expiresAt: Math.min(now + rotationMs, old.expiresAt ?? Infinity) });
          store.keys.adopt(old.id, key.keyId);
        }
        return { cancelled: revokeKeys(context, ended), issued: key };
      });
      if (body.now) announceRevoked(context, ended, cancelled);
      return done(issued);
    },

    revokeKey({ params }) {
      const { agentId } = agentNamed(store, params.agentId);
      const key = keyNamed(context, agentId, params.keyId);
      const ended = withDescendants(store, [key]);
      const cancelled = store.atomically(() => revokeKeys(context, ended));
      announceRevoked(context, ended, cancelled);
      return done(keyView(keyNamed(context, agentId, key.id), lastSeen.of(key.id)));
    },
  } satisfies SomeOperations;
};
