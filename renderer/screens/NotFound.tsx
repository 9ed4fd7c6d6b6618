// The screen for an unknown URL.
import { Button, Group } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { Link } from 'wouter';
import { EmptyState } from '../shared/ui/EmptyState.tsx';

export default function NotFound() {
  return (
    <EmptyState
      icon={<IconMapOff size={40} />}
      title="Page not found"
      action={
        <Group gap="xs" justify="center">
          <Button component={Link} href="/">
            Go to the overview
          </Button>
          <Button variant="default" onClick={() => document.getElementById('find')?.click()}>
            Open search
          </Button>
        </Group>
      }
    >
      There is nothing at this address.
    </EmptyState>
  );
}
