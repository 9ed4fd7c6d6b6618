// An empty list, with the next step.
import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  icon: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

export const EmptyState = ({ icon, title, children, action }: EmptyStateProps) => (
  <Stack align="center" gap="xs" py="xl" ta="center">
    <Text c="dimmed" aria-hidden>
      {icon}
    </Text>
    <Title order={2} size="h4">
      {title}
    </Title>
    <Text c="dimmed" size="sm" maw={420}>
      {children}
    </Text>
    {action}
  </Stack>
);
