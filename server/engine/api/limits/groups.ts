// The owner's groups of agents: their limits, members and stops.
import type { Reply } from '../../../contract/schemas.ts';
import { AppError, fieldError } from '../../../errors.ts';
import { formatUsdc } from '../../../money.ts';
import { agentNamed, done, type EngineContext } from '../../calls/call.ts';
import { iso, isoOrNull } from '../../calls/views.ts';
import { scopeOfGroup } from '../../domain/limits.ts';
import { spentToday } from '../../domain/spending.ts';
import { beginLimits, limitsTold, prepareLimits, setLimits } from './limit-changes.ts';
import { nodeNow } from '../../limits/path.ts';
import { usedOf } from './limits.ts';
import { announceApproval } from '../../payment/owner/approval.ts';
import { takeAwayUnfit } from '../../payment/owner/rejudge.ts';
import { resumeGroup, stopGroup } from '../../payment/owner/stop.ts';
import type { AgentGroup, Approval, SomeOperations } from '../../ports.ts';
import { groupNamed } from '../path.ts';

const members = ({ store }: EngineContext, groupId: string): string[] =>
  store.agents
    .list()
    .filter((agent) => agent.groupId === groupId && agent.archivedAt === null)
    .map(({ agentId }) => agentId);

const groupView = (
  context: EngineContext,
  { id, name, createdAt, stoppedAt }: AgentGroup,
): Reply<'getGroup'> => ({
  groupId: id,
  name,
  createdAt: iso(createdAt),
  stoppedAt: isoOrNull(stoppedAt),
  agents: members(context, id),
  spentToday: formatUsdc(spentToday(context.store.spend.at(scopeOfGroup(id), context.time.now()))),
  ...limitsTold(context, scopeOfGroup(id)),
  used: usedOf(nodeNow(context, scopeOfGroup(id), context.time.now())),
});

/** Two groups of one name could not be told apart. */
const refuseName = ({ store }: EngineContext, name: string, besides?: string): void => {
  const isTaken = store.groups
    .list()
    .some((group) => group.archivedAt === null && group.name === name && group.id !== besides);
  if (isTaken) throw fieldError('name', `there is a group ${name} already`, 'conflict');
};

/** Call it after the commit. */
const announceChange = (
  context: EngineContext,
  unfit: readonly Approval[],
  agents: readonly string[],
): void => {
  for (const { id } of unfit) announceApproval(context, id);
  for (const agentId of agents) context.publish({ type: 'agent', agentId });
  context.publish({ type: 'ceiling' });
};

export const groupOperations = (context: EngineContext) => {
  const { store, time, newId } = context;
  const viewNow = (groupId: string) => done(groupView(context, groupNamed(context, groupId)));
  const announce = (unfit: readonly Approval[], agents: readonly string[]) =>
    announceChange(context, unfit, agents);

  return {
    listGroups() {
      const groups = store.groups.list().filter(({ archivedAt }) => archivedAt === null);
      return done({ groups: groups.map((group) => groupView(context, group)) });
    },

    getGroup: ({ params }) => viewNow(params.groupId),

    createGroup({ body: { name, limits = {} } }) {
      const id = newId('grp');
      store.atomically(() => {
        refuseName(context, name);
        store.groups.insert({ id, name, createdAt: time.now(), stoppedAt: null, archivedAt: null });
        beginLimits(context, scopeOfGroup(id), limits);
      });
      announce([], []);
      return viewNow(id);
    },

    renameGroup({ params: { groupId }, body: { name } }) {
      store.atomically(() => {
        refuseName(context, name, groupId);
        store.groups.update(groupId, { name });
      });
      announce([], members(context, groupId));
      return viewNow(groupId);
    },

    async setGroupLimits({ params: { groupId }, body }) {
      const scope = scopeOfGroup(groupId);
      await prepareLimits(context, scope, body);
      const unfit = store.atomically(() => {
        groupNamed(context, groupId);
        setLimits(context, scope, body);
        return members(context, groupId).flatMap((agentId) => takeAwayUnfit(context, agentId));
      });
      announce(unfit, members(context, groupId));
      return viewNow(groupId);
    },

    archiveGroup({ params: { groupId } }) {
      store.atomically(() => {
        if (members(context, groupId).length > 0)
          throw new AppError('conflict', 'This group still has agents. Move them out of it first.');
        store.groups.update(groupId, { archivedAt: time.now() });
      });
      announce([], []);
      return done({ groupId, archived: true });
    },

    stopGroup({ params: { groupId } }) {
      stopGroup(context, groupNamed(context, groupId));
      return viewNow(groupId);
    },

    resumeGroup({ params: { groupId } }) {
      resumeGroup(context, groupNamed(context, groupId));
      return viewNow(groupId);
    },

    setAgentGroup({ params, body: { groupId } }) {
      const { agentId } = agentNamed(store, params.agentId);
      const unfit = store.atomically(() => {
        if (groupId !== null && groupNamed(context, groupId, 'groupId').stoppedAt !== null)
          throw new AppError('conflict', 'This group is stopped. Resume it before you put an agent into it.');
        store.agents.update(agentId, { groupId });
        return takeAwayUnfit(context, agentId);
      });
      announce(unfit, [agentId]);
      return done({ agentId, groupId });
    },
  } satisfies SomeOperations;
};
