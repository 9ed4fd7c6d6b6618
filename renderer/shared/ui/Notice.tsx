// A notice to the owner, above or between the parts of a screen.
import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface NoticeProps {
  color: string;
  icon: ReactNode;
  title?: ReactNode;
  /** `alert` interrupts a screen reader. */
  role?: 'status' | 'alert';
  children: ReactNode;
}

export const Notice = ({ children, ...alert }: NoticeProps) => (
  <Alert role="status" {...alert}>
    <Text component="div" c="var(--mantine-color-text)">
      {children}
    </Text>
  </Alert>
);
