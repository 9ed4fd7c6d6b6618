// An empty list, with the next step.
import { Anchor, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface EmptyStateProps {
  icon: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

export const EmptyState = ({ icon, title, children, action }: EmptyStateProps) => (
  <Stack align="center" gap="xs" py="xl" ta="center">
    <Text c="dimmed" aria-hidden size="md">
      {icon}
    </Text>
    <Title order={2} size="h4">
      {title}
    </Title>
    <Text c="dimmed" maw={420}>
      {children}
    </Text>
    {action}
  </Stack>
);

/** The next step where nothing is to be seen without an agent. */
export const ToAgents = () => (
  <Anchor component={Link} href="/agents" size="md">
    Go to your agents
  </Anchor>
);
