// The word with which a decided request leaves: what became of it, in its place, for a moment.
import { Badge, Card, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { AgentName } from '../../shared/AgentName.tsx';
import { outcomeOf, requestOf, type Approval } from './request.ts';
import { Subject } from './Subject.tsx';

interface LeftProps {
  outcome: ReturnType<typeof outcomeOf>;
  children: ReactNode;
}

export const Left = ({ outcome: { label, color }, children }: LeftProps) => (
  <Card withBorder bg="transparent" px="lg" py="sm" data-left>
    <Group gap="sm">
      <Badge variant="dot" color={color} tt="none" fw={600}>
        {label}
      </Badge>
      <Text size="sm" className="break-anywhere">
        {children}
      </Text>
    </Group>
  </Card>
);

export const LeftApproval = ({ approval }: { approval: Approval }) => (
  <Left outcome={outcomeOf(approval)}>
    <AgentName agentId={approval.agentId} />: <Subject request={requestOf(approval)} />
  </Left>
);
