// A part of a screen: a card with a heading.
import { Card, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface PanelProps {
  title?: string;
  /** A sentence under the heading. */
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export const Panel = ({ title, note, actions, children }: PanelProps) => (
  <Card withBorder bg="var(--card)" padding="lg" component="section" aria-label={title}>
    <Stack gap="md">
      {(title !== undefined || actions !== undefined) && (
        <Group justify="space-between" align="flex-start" gap="sm">
          <div>
            <Title order={2} size="h4">
              {title}
            </Title>
            {note !== undefined && <Text c="dimmed">{note}</Text>}
          </div>
          {actions}
        </Group>
      )}
      {children}
    </Stack>
  </Card>
);
