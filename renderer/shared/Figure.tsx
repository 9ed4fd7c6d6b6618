// One figure in a card: what it is, how much, and a line to understand it by.
import { Card, Stack, Text, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface FigureProps {
  label: string;
  note?: ReactNode;
  /** How large the figure itself is drawn. */
  size?: TextProps['fz'];
  children: ReactNode;
}

export const Figure = ({ label, note, size = 'lg', children }: FigureProps) => (
  <Card withBorder bg="var(--card)" p={{ base: 'sm', sm: 'md' }}>
    <Stack gap={2}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={size} lh={1.3} fw={650} component="div">
        {children}
      </Text>
      {note !== undefined && (
        <Text size="xs" c="dimmed" component="div">
          {note}
        </Text>
      )}
    </Stack>
  </Card>
);
