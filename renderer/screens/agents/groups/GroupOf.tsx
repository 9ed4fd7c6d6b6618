// The group that an agent is in, which links to its page; nothing for an agent in none.
import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { groupOf, pathOfGroup, useGroups } from './use-groups.ts';

export const GroupOf = ({ agentId }: { agentId: string }) => {
  const group = groupOf(useGroups(), agentId);
  return group === undefined ? null : (
    <Text c="dimmed" className="break-anywhere">
      In{' '}
      <Anchor component={Link} href={pathOfGroup(group)} inherit>
        {group.name}
      </Anchor>
    </Text>
  );
};
