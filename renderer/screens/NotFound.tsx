// The screen for an unknown URL.
import { Anchor, Group } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { Link } from 'wouter';
import { EmptyState } from '../shared/ui/EmptyState.tsx';

export default function NotFound() {
  return (
    <EmptyState
      icon={<IconMapOff size={40} />}
      title="Page not found"
      action={
        <Group>
          <Anchor component={Link} href="/" size="md">
            Go to the overview
          </Anchor>
          <Anchor component="button" size="md" onClick={() => document.getElementById('find')?.click()}>
            Open search
          </Anchor>
        </Group>
      }
    />
  );
}
