// A notice to the owner, above or between the parts of a screen.
import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface NoticeProps {
  color: string;
  icon: ReactNode;
  title: string;
  children: ReactNode;
}

export const Notice = ({ color, icon, title, children }: NoticeProps) => (
  <Alert color={color} icon={icon} title={title} role="status">
    <Text component="div" c="var(--mantine-color-text)">
      {children}
    </Text>
  </Alert>
);
