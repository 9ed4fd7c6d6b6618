// The owner's groups of agents, and the limits of the treasury over all agents.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import { agentPath, decimal, displayName, ended, example, shared, timestamp, textLike } from '../fields.ts';
import { limitsChange, limitsInForce, unknownServices, usedReply } from './policy.schemas.ts';

const groupPath = z.object({ groupId: shared.groupId });
export const groupReply = z.object({
  groupId: shared.groupId,
  name: textLike('Research'),
  createdAt: timestamp,
  stoppedAt: timestamp
    .nullable()
    .describe('since when its agents are suspended together; null: they are not'),
  agents: z.array(shared.agentId).describe('the ids of the agents in it'),
  spentToday: decimal
    .meta(example('1.20'))
    .describe('by its agents while they were in it, or reserved, in 24 hours'),
  limits: limitsInForce,
  unknownServices,
  used: usedReply,
});
const treasuryLimits = z.object({ limits: limitsInForce, unknownServices, used: usedReply });

export const groupsExchanges = {
  listGroups: get(nothing, nothing, z.object({ groups: z.array(groupReply) })),
  createGroup: post(
    nothing,
    z.strictObject({ name: displayName, limits: limitsChange.optional() }),
    groupReply,
  ),
  getGroup: get(groupPath, nothing, groupReply),
  renameGroup: post(groupPath, z.strictObject({ name: displayName }), groupReply),
  setGroupLimits: post(groupPath, limitsChange, groupReply),
  archiveGroup: post(groupPath, nothing, z.object({ groupId: shared.groupId, archived: z.literal(true) })),
  stopGroup: post(groupPath, nothing, groupReply.extend({ ended })),
  resumeGroup: post(groupPath, nothing, groupReply),
  setAgentGroup: post(
    agentPath,
    z.strictObject({
      groupId: z.string({ error: 'must be the id of a group, or null for none' }).nullable(),
    }),
    z.object({ agentId: shared.agentId, groupId: shared.groupId.nullable() }),
  ),
  getTreasuryLimits: get(nothing, nothing, treasuryLimits),
  setTreasuryLimits: post(nothing, limitsChange, treasuryLimits),
};
