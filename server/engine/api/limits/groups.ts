// The owner's groups of agents: their limits, members and stops.
import type { Reply } from '../../../contract/schemas.ts';
import { AppError, fieldError } from '../../../errors.ts';
import { formatUsdc } from '../../../money.ts';
import { agentNamed, done, type EngineContext } from '../../calls/call.ts';
import { endedView } from '../../calls/ended.ts';
import { iso, isoOrNull } from '../../calls/views.ts';
import { scopeOfGroup } from '../../domain/limits.ts';
import { spentToday } from '../../domain/spending.ts';
import { announceLimits, beginLimits, changeLimits, limitsTold } from './limit-changes.ts';
import { nodeNow } from '../../limits/path.ts';
import { usedOf } from './limits.ts';
import { changeRules } from '../../payment/owner/rejudge.ts';
import { membersOf, resumeGroup, stopGroup } from '../../payment/owner/stop.ts';
import type { AgentGroup, SomeOperations } from '../../ports.ts';
import { groupNamed } from '../path.ts';

const members = (context: EngineContext, groupId: string): string[] =>
  membersOf(context, groupId).map(({ agentId }) => agentId);

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

export const groupOperations = (context: EngineContext) => {
  const { store, time, newId } = context;
  const viewNow = (groupId: string) => done(groupView(context, groupNamed(context, groupId)));

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
      announceLimits(context);
      return viewNow(id);
    },

    renameGroup({ params: { groupId }, body: { name } }) {
      store.atomically(() => {
        refuseName(context, name, groupId);
        store.groups.update(groupId, { name });
      });
      announceLimits(context, members(context, groupId));
      return viewNow(groupId);
    },

    async setGroupLimits({ params: { groupId }, body }) {
      await changeLimits(context, scopeOfGroup(groupId), body, () =>
        members(context, groupNamed(context, groupId).id),
      );
      return viewNow(groupId);
    },

    archiveGroup({ params: { groupId } }) {
      store.atomically(() => {
        if (members(context, groupId).length > 0)
          throw new AppError('conflict', 'This group still has agents. Move them out of it first.');
        store.groups.update(groupId, { archivedAt: time.now() });
      });
      announceLimits(context);
      return done({ groupId, archived: true });
    },

    stopGroup({ params: { groupId } }) {
      const stopped = stopGroup(context, groupNamed(context, groupId));
      const view = groupView(context, groupNamed(context, groupId));
      return done({ ...view, ended: endedView(stopped) });
    },

    resumeGroup({ params: { groupId } }) {
      resumeGroup(context, groupNamed(context, groupId));
      return viewNow(groupId);
    },

    setAgentGroup({ params, body: { groupId } }) {
      const { agentId } = agentNamed(store, params.agentId);
      const join = (): void => {
        if (groupId !== null && groupNamed(context, groupId, 'groupId').stoppedAt !== null)
          throw new AppError('conflict', 'This group is stopped. Resume it before you put an agent into it.');
        store.agents.update(agentId, { groupId });
      };
      changeRules(context, join, () => [agentId]);
      announceLimits(context, [agentId]);
      return done({ agentId, groupId });
    },
  } satisfies SomeOperations;
};
