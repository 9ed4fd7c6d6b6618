// One group of agents: its limits, what is used of them, and its agents.
import { SimpleGrid, Text } from '@mantine/core';
import { IconFolderOff } from '@tabler/icons-react';
import { ask } from '../../../api/owner.ts';
import { EmptyState, ToAgents } from '../../../shared/ui/EmptyState.tsx';
import { Figure } from '../../../shared/ui/Figure.tsx';
import { counted } from '../../../shared/format.ts';
import { QueryState, Screen } from '../../../shared/ui/Screen.tsx';
import { momentOf } from '../../../shared/time.ts';
import { useOwner, reread } from '../../../stores/queries.ts';
import { LimitsForm } from '../limits/LimitsForm.tsx';
import { limitsForm } from '../limits/policy-form.ts';
import { GroupActions } from './GroupActions.tsx';
import { GroupStatus } from '../nodes/NodeStatus.tsx';
import { Members } from './Members.tsx';
import { useMembers, type AgentGroup } from './use-groups.ts';

export default function GroupPage({ groupId }: { groupId: string }) {
  const groups = useOwner('listGroups');
  if (groups.data === undefined)
    return (
      <Screen title="Group">
        <QueryState of={groups} />
      </Screen>
    );
  const group = groups.data.groups.find((one) => one.groupId === groupId);
  if (group === undefined) return <NoSuchGroup />;
  return (
    <Screen
      title={group.name}
      actions={<GroupActions group={group} />}
      back={['/agents', 'Agents']}
      below={
        <>
          <Text c="dimmed">A group of {counted(group.agents.length, 'agent')}</Text>
          <GroupStatus group={group} />
        </>
      }
    >
      <Spent group={group} />
      <LimitsForm
        title="Limits"
        note="These limits apply to its agents combined, on top of their own."
        kind={limitsForm}
        rules={group.limits}
        used={group.used}
        of={`the group ${group.name}`}
        save={(body) => ask('setGroupLimits', { params: { groupId }, body }).then(() => reread('listGroups'))}
      />
      <Members group={group} />
    </Screen>
  );
}

const Spent = ({ group }: { group: AgentGroup }) => {
  const members = useMembers(group);
  const paused = members.filter(({ status }) => status === 'suspended').length;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'xs', sm: 'md' }}>
      <Figure
        label="Spent in 24 hours"
        amount={group.spentToday}
        note="While its agents were in it, including what is reserved"
      />
      <Figure
        label="Agents"
        note={
          group.stoppedAt === null
            ? paused === 0
              ? 'None is paused'
              : `${counted(paused, 'is', 'are')} paused`
            : `Stopped since ${momentOf(group.stoppedAt)}. ${counted(paused, 'is', 'are')} paused`
        }
      >
        {members.length.toLocaleString('en')}
      </Figure>
    </SimpleGrid>
  );
};

const NoSuchGroup = () => (
  <Screen title="No such group">
    <EmptyState icon={<IconFolderOff size={40} />} title="This group is not here" action={<ToAgents />}>
      It was archived, or it never existed. The spending of its agents stays in the activity.
    </EmptyState>
  </Screen>
);
