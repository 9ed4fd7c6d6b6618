// Content that is seldom needed, under a line that unfolds it.
import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface FoldProps {
  label: string;
  /** At first. */
  isOpen?: boolean;
  children: ReactNode;
}

export const Fold = ({ label, isOpen = false, children }: FoldProps) => (
  <details open={isOpen}>
    <Text component="summary" fw={600} w="fit-content" style={{ cursor: 'pointer' }}>
      {label}
    </Text>
    <Stack gap="sm" pt="sm">
      {children}
    </Stack>
  </details>
);
