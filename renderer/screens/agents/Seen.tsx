// The facts that a card and a page show of an agent: whether a program has called as it, what of it waits for the owner, its tags.
import { Anchor, Badge, Group } from '@mantine/core';
import { Link } from 'wouter';
import { counted } from '../../shared/format.ts';
import { Moment } from '../../shared/ui/Moment.tsx';
import type { AgentSummary } from '../../stores/treasury.ts';

export const Seen = ({ lastSeenAt }: Pick<AgentSummary, 'lastSeenAt'>) =>
  lastSeenAt === null ? (
    'Not connected yet'
  ) : (
    <>
      Seen <Moment iso={lastSeenAt} />
    </>
  );

export const Waiting = ({ pendingApprovals }: Pick<AgentSummary, 'pendingApprovals'>) =>
  pendingApprovals > 0 && (
    <Anchor component={Link} href="/approvals" size="xs" underline="always">
      {counted(pendingApprovals, 'approval')} waiting
    </Anchor>
  );

export const Tags = ({ tags }: { tags: readonly string[] }) =>
  tags.length === 0 ? null : (
    <Group gap={4}>
      {tags.map((tag) => (
        <Badge key={tag} size="sm" variant="default" tt="none" fw={500}>
          {tag}
        </Badge>
      ))}
    </Group>
  );
