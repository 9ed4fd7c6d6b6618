// Reading and changing a policy.
import { fieldEntries, isFieldTighter } from '../../../contract/limits/policy-fields.ts';
import { announceApproval } from '../../payment/owner/approval.ts';
import { openRequest, reasonShown } from '../../payment/owner/ask-owner.ts';
import { agentNamed, accepted, done, type EngineContext } from '../../calls/call.ts';
import { boostTold } from '../../calls/day-budget.ts';
import { createChangeLimit } from '../../payment/decision/burst.ts';
import { takeAwayUnfit } from '../../payment/owner/rejudge.ts';
import type { Policy, SomeOperations } from '../../ports.ts';
import { iso, policyView } from '../../calls/views.ts';
import { changed, prepareLimits, setPolicy } from './limit-changes.ts';
import { unknownServices, withServiceNames } from '../service-names.ts';

/** An unchanged policy gets no new version. */
const isSame = (from: Policy, to: Policy): boolean => shownAs(from) === shownAs(to);
const shownAs = (policy: Policy): string => JSON.stringify(policyView(policy));

/** Whether the change allows nothing that was not allowed before. */
export const isTighter = (from: Policy, to: Policy): boolean =>
  fieldEntries.every(([name, field]) => isFieldTighter(field, from[name], to[name]));

export const policyOperations = (context: EngineContext) => {
  const { store, time, publish } = context;
  const changes = createChangeLimit('change its own policy');
  const told = (agentId: string, policy: Policy) => ({
    agentId,
    policy: policyView(policy),
    unknownServices: unknownServices(context, policy),
  });

  return {
    getPolicy({ params }) {
      const { agentId } = agentNamed(store, params.agentId);
      const boost = boostTold(store.boosts.of(agentId, time.now()));
      const policy = store.policies.get(agentId);
      return done({ ...told(agentId, policy), boost });
    },

    async setPolicy({ caller, params, body: { reason, ...asked } }) {
      const { agentId } = agentNamed(store, params.agentId);
      const now = store.policies.get(agentId);
      const change = withServiceNames(context, now, asked);
      const wish = changed(now, change);
      // Nothing is summed for a change that the owner is asked about, nor beyond the number that an agent may make.
      if (caller.role === 'owner' || isTighter(now, wish)) {
        if (!isSame(now, wish)) changes.count(caller, time.now());
        await prepareLimits(context, agentId, now, wish);
      }
      // Judged against the policy in force in the transaction that changes it.
      const outcome = store.atomically(() => {
        const before = store.policies.get(agentId);
        const after = changed(before, change);
        if (caller.role === 'agent' && !isTighter(before, after)) {
          const wanted = policyView(after);
          return {
            asked: openRequest(
              context,
              'policy',
              { agentId, keyId: caller.keyId },
              {
                from: policyView(before),
                to: wanted,
                ...reasonShown({ reason }),
              },
            ),
          };
        }
        if (isSame(before, after)) return { policy: before, unfit: [] };
        const policy = setPolicy(context, agentId, after);
        return { policy, unfit: takeAwayUnfit(context, agentId) };
      });
      if (outcome.asked !== undefined) {
        const { id, status, expiresAt } = outcome.asked;
        announceApproval(context, id);
        return accepted({ approvalId: id, status, expiresAt: iso(expiresAt) });
      }
      for (const { id } of outcome.unfit) announceApproval(context, id);
      publish({ type: 'agent', agentId });
      return done(told(agentId, outcome.policy));
    },
  } satisfies SomeOperations;
};
