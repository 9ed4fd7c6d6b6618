// Approvals: listing, granting and denying them, and the standing approvals.
import { policyChange } from '../../contract/limits/policy.schemas.ts';
import { exchanges, type Body, type Reply } from '../../contract/schemas.ts';
import { fieldError, invariant } from '../../errors.ts';
import { formatUsdc, parseUsdc, usdc } from '../../money.ts';
import {
  announceApproval,
  decideApproval,
  denyAfter,
  grantableApproval,
  insertGrant,
  pendingApproval,
  refuseApproval,
  undoDenial,
  type Standing,
} from '../payment/owner/approval.ts';
import { done, type EngineContext } from '../calls/call.ts';
import { agentBudget } from '../calls/day-budget.ts';
import { approvalFacts } from '../calls/approval-facts.ts';
import { txSignatureOf } from '../payment/machine/tx-signature.ts';
import { policyMoved, takeAwayUnfit } from '../payment/owner/rejudge.ts';
import { resume } from '../payment/owner/stop.ts';
import type { Approval, Caller, Policy, SomeOperations, Transfer } from '../ports.ts';
import { amountOf } from '../domain/transfer.ts';
import { approvalView, grantView, iso } from '../calls/views.ts';
import { deployAgent } from './agents.ts';
import { approvalNamed, grantNamed } from './path.ts';
import { grantMoney, movesMoney } from './grant-money.ts';
import { changed, prepareLimits, setPolicy } from './limits/limit-changes.ts';
import { statusOf } from '../domain/states.ts';

interface Effect {
  created?: Reply<'grantApproval'>['created'];
  /** Approvals that the change canceled. */
  unfit: Approval[];
}

const mostUntilMs = 366 * 86_400_000;

export const approvalOperations = (context: EngineContext) => {
  const { store, time, publish } = context;

  const budgetAfter = ({ status, transferId, agentId }: Approval): Reply<'getApproval'>['budget'] => {
    const held = status === 'pending' && transferId !== null ? store.transfers.get(transferId) : undefined;
    if (held === undefined) return null;
    const { limit, spent } = agentBudget(context, agentId);
    return {
      dailyBudget: formatUsdc(limit),
      spent: formatUsdc(spent),
      after: formatUsdc(usdc(spent + held.amount)),
    };
  };

  const view = (id: string, caller: Caller): Reply<'getApproval'> => {
    const approval = store.approvals.get(id);
    invariant(approval !== undefined, 'an approval is never deleted');
    const isOwner = caller.role === 'owner';
    // The owner's places are nothing for an agent.
    const { from, ...result } = approval.result ?? {};
    const place = isOwner && from !== undefined ? { from } : {};
    const transferId = result['transferId'];
    const transfer = typeof transferId === 'string' ? store.transfers.get(transferId) : undefined;
    const facts = isOwner && approval.status === 'pending' ? approvalFacts(context, approval) : null;
    return {
      ...approvalView(approval, { budget: budgetAfter(approval), facts }),
      result:
        approval.result === null
          ? null
          : { ...result, ...place, ...(transfer === undefined ? {} : movement(transfer)) },
    };
  };

  const standingOf = (standing: { upTo: Standing['upTo']; until: string } | undefined): Standing | null => {
    if (standing === undefined) return null;
    const until = Date.parse(standing.until);
    const now = time.now();
    if (until <= now || until > now + mostUntilMs) {
      throw fieldError('standing.until', 'must lie in the future, within a year');
    }
    return { upTo: standing.upTo, until };
  };

  /** Does one of the other effects, in the transaction that consumes the approval. */
  const grantEffect = (
    approval: Approval,
    { askBefore, standing }: Pick<Body<'grantApproval'>, 'askBefore'> & { standing: Standing | null },
  ): Effect =>
    store.atomically(() => {
      const pending = grantableApproval(context, approval.id, approval.hash);
      const { kind, agentId, shown } = pending;
      if (kind === 'deploy') {
        const { newAgentId, dailyBudget, maxPerPayment, displayName } = shown;
        const body = exchanges.deploy.body.parse({
          agentId: newAgentId,
          dailyBudget,
          maxPerPayment,
          displayName,
          askBefore,
        });
        const { keyId, agent, mcpConfig } = deployAgent(context, body);
        decideApproval(context, pending, 'granted', { agent });
        return { created: { keyId, apiKey: mcpConfig.env['TREASURY_API_KEY'] ?? '', mcpConfig }, unfit: [] };
      }
      if (kind === 'policy') {
        const before = store.policies.get(agentId);
        if (before.version !== pending.policyVersion) {
          refuseApproval(context, pending, 'cancelled', policyMoved);
          return { unfit: [] };
        }
        setPolicy(context, agentId, wanted(before, shown));
        decideApproval(context, pending, 'granted', { policy: shown['to'] });
        return { unfit: takeAwayUnfit(context, agentId) };
      }
      if (kind === 'standing') {
        const wanted = {
          upTo: parseUsdc(String(shown['amount'])),
          until: Date.parse(String(shown['until'])),
        };
        const { upTo, until } = standing ?? wanted;
        invariant(upTo !== null, 'a standing approval that is asked for has an amount');
        insertGrant(context, { agentId, serviceId: String(shown['service']), payees: [], upTo, until });
        decideApproval(context, pending, 'granted', { upTo: formatUsdc(upTo), until: iso(until) });
        return { unfit: [] };
      }
      decideApproval(context, pending, 'granted', { status: resume(context, agentId).status });
      return { unfit: [] };
    });

  return {
    listApprovals({ caller, query }) {
      // Pending ones come first, so that no number of decided ones crowds them out.
      const waiting = store.approvals.pending().toReversed();
      const decided = store.approvals.list(query.limit).filter(({ status }) => status !== 'pending');
      return done({
        approvals: [...waiting, ...decided].slice(0, query.limit).map(({ id }) => view(id, caller)),
      });
    },

    getApproval: ({ caller, params }) =>
      done(view(approvalNamed(context, caller, params.approvalId).id, caller)),

    async grantApproval({ caller, params, body }) {
      const approval = grantableApproval(context, params.approvalId, body.hash);
      const standing = standingOf(body.standing);
      if (standing !== null && approval.kind !== 'payment' && approval.kind !== 'standing') {
        throw fieldError(
          'standing',
          'only the approval of a payment or of a supplier can allow further ones',
        );
      }
      if (body.askBefore !== undefined && approval.kind !== 'deploy')
        throw fieldError('askBefore', 'only a new agent’s approval can have it');
      let { created, unfit }: Effect = { unfit: [] };
      if (movesMoney(approval)) {
        const at = caller.role === 'owner' ? (caller.from ?? null) : null;
        await grantMoney(context, approval, { from: 'desk', at, standing });
      } else {
        if (approval.kind === 'policy') {
          const before = store.policies.get(approval.agentId);
          await prepareLimits(context, approval.agentId, before, wanted(before, approval.shown));
        }
        ({ created, unfit } = grantEffect(approval, { askBefore: body.askBefore, standing }));
      }
      for (const { id } of [approval, ...unfit]) announceApproval(context, id);
      publish({ type: 'agent', agentId: approval.agentId });
      return done({ ...view(approval.id, caller), ...(created === undefined ? {} : { created }) });
    },

    denyApproval({ caller, params, body: { afterMs } }) {
      const approval = approvalNamed(context, caller, params.approvalId);
      store.atomically(() => {
        const pending = pendingApproval(context, approval.id, approval.hash);
        if (afterMs === 0) refuseApproval(context, pending, 'denied');
        else denyAfter(context, pending, afterMs);
      });
      announceApproval(context, approval.id);
      return done(view(approval.id, caller));
    },

    undoDenial({ caller, params }) {
      const approval = approvalNamed(context, caller, params.approvalId);
      store.atomically(() => undoDenial(context, pendingApproval(context, approval.id, approval.hash)));
      announceApproval(context, approval.id);
      return done(view(approval.id, caller));
    },

    listGrants: () => done({ grants: store.grants.list().map(grantView) }),

    revokeGrant({ params }) {
      const { grantId } = params;
      grantNamed(context, grantId);
      store.atomically(() => store.grants.end(grantId, time.now()));
      return done({ grantId, revoked: true });
    },
  } satisfies SomeOperations;
};

/** The policy that was shown: it names all limits at services that it leaves. */
const wanted = (before: Policy, { to }: Approval['shown']): Policy =>
  changed({ ...before, serviceLimits: null }, policyChange.parse(to));

const movement = (transfer: Transfer): Record<string, unknown> => ({
  transferId: transfer.id,
  amount: amountOf(transfer),
  currency: transfer.asset,
  status: statusOf(transfer),
  txSignature: txSignatureOf(transfer),
  timestamp: iso(transfer.createdAt),
});
