// The line below a screen's title: the link back to its list, and then what else stands there.
import { Anchor, Group } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface BackProps {
  /** The list's path and name. */
  to: string;
  name: string;
  children?: ReactNode;
}

export const Back = ({ to, name, children }: BackProps) => (
  <Group gap="sm" mt={-12}>
    <Anchor component={Link} href={to}>
      <Group gap={4} wrap="nowrap" component="span">
        <IconArrowLeft size={14} aria-hidden /> {name}
      </Group>
    </Anchor>
    {children}
  </Group>
);
