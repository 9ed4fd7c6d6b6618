// One figure in a card: its label, its value, and a line of explanation.
import { Card, Stack, Text, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface FigureProps {
  label: string;
  note?: ReactNode;
  /** The font size of the value. */
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
